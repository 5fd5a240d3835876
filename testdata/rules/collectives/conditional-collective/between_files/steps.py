import reductions


def step(place, tensor):
    if place == 0:
        reductions.reduced(tensor)


def step_of_all(place, tensor):
    total = reductions.reduced(tensor)
    if place == 0:
        print(total)
