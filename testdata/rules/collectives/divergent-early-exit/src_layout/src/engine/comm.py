import torch
import torch.distributed as dist


class Communicator:
    def __init__(self, group=None):
        self.group = group
        self.rank = dist.get_rank(group)
        self.world = dist.get_world_size(group)

    def any(self, flag):
        votes = torch.tensor([int(flag)])
        dist.all_reduce(votes, op=dist.ReduceOp.MAX, group=self.group)
        return bool(votes.item())

    def fence(self):
        dist.barrier(group=self.group)
