"""Every rank finds itself in one of the groups that a loop goes through: what it keeps is that group's."""
import torch.distributed as dist


class Coordinator:
    def __init__(self, lists, use_queue):
        self.group = None
        self.queue = None
        for ranks in lists:
            group = dist.new_group(ranks)
            if dist.get_rank() in ranks:
                self.ranks = ranks
                self.group = group
        if use_queue and len(self.ranks) > 1:
            self.queue = Queue(self.group)

    def sync(self, x):
        if self.queue is not None:
            return self.queue.send(x)
        dist.all_reduce(x, group=self.group)
        return x

    def all(self, x):
        for index, rank in enumerate(sorted(self.ranks)):
            dist.broadcast(x[index], src=rank, group=self.group)


class Queue:
    def __init__(self, group):
        self.group = group

    def send(self, x):
        return x


def profile(groups, x):
    for ranks, group in groups.items():
        if dist.get_rank() not in ranks:
            continue
        dist.all_reduce(x, group=group)


def count(size, x):
    # Not this rank: each rank in turn.
    for rank in range(size):
        if rank != 0:
            dist.all_reduce(x)


def other_ranks(lists, x):
    for ranks in lists:
        if dist.get_rank() in ranks:
            dist.all_reduce(x)  # error: [conditional-collective]
