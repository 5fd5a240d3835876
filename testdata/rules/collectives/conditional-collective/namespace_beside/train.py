"""A package of its own below the name of a library, beside what is installed of that."""
import torch.distributed as dist
from megatron.bridge.shares import tell


def train(share):
    if dist.get_rank() == 0:
        tell(share)  # error: [conditional-collective]
