"""A trainer that shards its model, and has one rank save what is sharded."""

import torch.distributed as dist
from saving import save_moments
from torch.distributed.fsdp import fully_shard


def train(model, optimizer):
    fully_shard(model)
    optimizer.step()
    if dist.get_rank() == 0:
        save_moments(optimizer.state)  # error: [conditional-collective]
