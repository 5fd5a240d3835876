import torch
import torch.distributed as dist
from torch import distributed


class distributed(distributed):
    pass


if dist.get_rank() == 0:
    dist.barrier()
