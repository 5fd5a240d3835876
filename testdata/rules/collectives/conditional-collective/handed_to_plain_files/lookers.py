def describe(model):
    print(len(list(model.parameters())))
