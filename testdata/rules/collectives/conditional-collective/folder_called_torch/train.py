"""A folder in the tree is called as the library is, and is another thing."""
import torch
import torch.distributed as dist
from activation.torch import low_pass


def train(signal):
    if torch.distributed.get_rank() == 0:
        dist.broadcast(low_pass(signal), src=0)  # error: [conditional-collective]
