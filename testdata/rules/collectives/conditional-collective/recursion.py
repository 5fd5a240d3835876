"""Functions that call each other in a cycle: what one round issues, the next round issues again."""
import torch.distributed as dist


def descend(depth, t):
    def step(left):
        dist.all_reduce(t)
        if left - dist.get_rank() > 0:
            step(left - 1)  # error: [conditional-collective]

    step(depth)


def walk(depth, t):
    dist.all_reduce(t)
    if depth > dist.get_rank():
        walk(depth - 1, t)  # error: [conditional-collective]


class Pair:
    def __init__(self):
        self.leads = dist.get_rank() == 0

    def ping(self, turns, t):
        if turns:
            self.pong(turns - 1, t)
        if self.leads:
            self.pong(0, t)  # error: [conditional-collective]

    def pong(self, turns, t):
        if turns:
            self.ping(turns - 1, t)
        else:
            dist.broadcast(t, src=0)


# Every rank goes as deep as every other.


def descend_alike(depth, t):
    def step(left):
        dist.all_reduce(t)
        if left > 0:
            step(left - 1)

    step(depth)


def walk_alike(depth, t):
    dist.all_reduce(t)
    if depth > dist.get_world_size():
        walk_alike(depth - 1, t)


def ping_alike(turns, t):
    if turns:
        dist.barrier()
        pong_alike(turns - 1, t)


def pong_alike(turns, t):
    if dist.get_rank() == 0:
        print("pong", turns)
    if turns:
        dist.all_reduce(t)
        ping_alike(turns - 1, t)


def halves(low, high, t):
    if high - low > 1:
        halves(low, (low + high) // 2, t)
        halves((low + high) // 2, high, t)
        dist.all_reduce(t[low:high])
