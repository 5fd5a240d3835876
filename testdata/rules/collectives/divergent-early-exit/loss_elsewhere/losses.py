"""Nothing here speaks of ranks."""


def mean_error(prediction, target):
    return ((prediction - target) ** 2).mean()


class Weighted:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, prediction, target):
        error = (prediction - target).abs()
        return self.weight * error.sum(), error.detach()
