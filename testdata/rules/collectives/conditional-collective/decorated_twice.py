"""One decorator around several functions that communicate: each of them is left out on its own."""

import functools

import torch.distributed as dist


def on_the_first_rank(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if dist.get_rank() == 0:
            return function(*args, **kwargs)
        return None

    return wrapper


@on_the_first_rank
def reduce_loss(loss):
    dist.all_reduce(loss)
    return loss


@on_the_first_rank
def announce(loss):
    print(loss)


def log(loss):
    reduce_loss(loss)  # error: [conditional-collective]
    announce(loss)


class Meter:
    @on_the_first_rank
    def total(self, tokens):
        dist.all_reduce(tokens)
        return tokens

    def report(self, tokens):
        announce(self.total(tokens))  # error: [conditional-collective]
