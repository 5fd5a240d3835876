"""Ranks can agree without torch: what is called an all-reduce gives every rank the same answer."""
import torch.distributed as dist
import zmq


class Messages:
    def __init__(self, rank, size):
        self.rank = rank
        self.size = size
        self.up = zmq.Context().socket(zmq.PULL if rank == 0 else zmq.PUSH)
        self.down = zmq.Context().socket(zmq.PUB if rank == 0 else zmq.SUB)

    def all_reduce_max(self, value):
        if self.rank == 0:
            values = [value] + [self.up.recv_pyobj() for _ in range(self.size - 1)]
            self.down.send_pyobj(max(values))
            return max(values)
        self.up.send_pyobj(value)
        return self.down.recv_pyobj()

    def own(self, value):
        if self.rank == 0:
            return value
        return 0


def run(rank, size, work, x):
    messages = Messages(rank, size)
    while True:
        if messages.all_reduce_max(len(work)) == 0:
            break
        dist.all_reduce(x)


def stray(rank, size, work, x):
    messages = Messages(rank, size)
    if messages.own(len(work)) == 0:
        dist.all_reduce(x)  # error: [conditional-collective]
