"""Loops of so many turns that nobody writes them out, one more on one rank."""
import torch.distributed as dist


def one_more_on_one(losses):
    steps = 99
    if dist.get_rank() == 0:
        steps += 1
    for _ in range(steps):
        dist.all_reduce(losses)  # error: [divergent-loop]


def as_many_in_the_end(losses):
    steps = 99
    if dist.get_rank() == 0:
        print("of", steps)
        steps += 0
    for _ in range(steps):
        dist.all_reduce(losses)


def shares_of_what_divides(losses):
    for _ in range(dist.get_rank(), 64, dist.get_world_size()):
        dist.all_reduce(losses)
