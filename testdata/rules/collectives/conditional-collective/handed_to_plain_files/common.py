def evaluate(model):
    model(1).sum().backward()
