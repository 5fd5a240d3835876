"""What a method puts into a tensor in place is in it from then on, on the ranks that came there."""
import torch
import torch.distributed as dist


def filled_by_one():
    flag = torch.zeros(1)
    if dist.get_rank() == 0:
        flag.fill_(1)
    if flag.item():
        dist.barrier()  # error: [conditional-collective]


def filled_by_one_and_told():
    flag = torch.zeros(1)
    if dist.get_rank() == 0:
        flag.fill_(1)
    dist.broadcast(flag, src=0)
    if flag.item():
        dist.barrier()


def counted_by_one(stop):
    count = torch.zeros(1)
    if dist.get_rank() == 0 and stop():
        count.add_(1)
    if count.item() > 0:
        dist.barrier()  # error: [conditional-collective]


def emptied(own):
    """What was in it is gone."""
    count = torch.tensor([dist.get_rank()])
    count.zero_()
    if count.item() > 0:
        dist.barrier()


def loaded_by_one(path):
    """It is as large as before."""
    table = torch.zeros(8)
    if dist.get_rank() == 0:
        table.copy_(torch.load(path))
    dist.broadcast(table, src=0)
    return table


class Sharded:
    def __init__(self, size, group):
        self.group = group
        self.shard = torch.zeros(size)

    def reduce(self, gradients):
        part = torch.empty_like(self.shard)
        dist.reduce_scatter_tensor(part, gradients, group=self.group)
        self.shard.copy_(part).div_(dist.get_world_size(self.group))

    def overflows(self):
        return not torch.isfinite(self.shard.sum()).item()

    def step(self, gradients):
        self.reduce(gradients)
        if self.overflows():
            return False
        norm = self.shard.pow(2).sum()
        dist.all_reduce(norm, group=self.group)  # error: [divergent-early-exit]
        return True

    def step_in_step(self, gradients):
        self.reduce(gradients)
        overflow = torch.tensor(float(self.overflows()))
        dist.all_reduce(overflow, op=dist.ReduceOp.MAX, group=self.group)
        if overflow.item():
            return False
        norm = self.shard.pow(2).sum()
        dist.all_reduce(norm, group=self.group)
        return True
