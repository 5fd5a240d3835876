"""Shards are as long as the buffer over the size of the group: that says nothing of who is in which block of ranks."""
import torch
import torch.distributed as dist


class ShardedOptimizer:
    def __init__(self, flat, dp_group):
        self.flat = flat
        self.dp_group = dp_group
        self.dp_size = dist.get_world_size(dp_group)
        self.shard = torch.zeros(flat.numel() // self.dp_size, device=flat.device)

    def reduce_gradients(self):
        out = torch.empty_like(self.shard)
        dist.reduce_scatter_tensor(out, self.flat.grad, group=self.dp_group)
        self.shard.copy_(out).div_(self.dp_size)

    def overflows(self):
        return not torch.isfinite(self.shard.sum()).item()

    def step(self):
        self.reduce_gradients()
        if self.overflows():
            return False
        norm = self.shard.pow(2).sum()
        dist.all_reduce(norm, group=self.dp_group)  # error: [divergent-early-exit]
        return True

    def step_with_vote(self):
        self.reduce_gradients()
        overflow = torch.tensor([float(self.overflows())])
        dist.all_reduce(overflow, op=dist.ReduceOp.MAX, group=self.dp_group)
        if overflow.item() > 0:
            return False
        norm = self.shard.pow(2).sum()
        dist.all_reduce(norm, group=self.dp_group)
        return True
