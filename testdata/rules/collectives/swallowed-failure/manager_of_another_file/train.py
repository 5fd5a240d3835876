import torch.distributed as dist
from guards import SkipErrors


def agree(path):
    with SkipErrors():  # error: [swallowed-failure]
        with open(path) as file:
            file.read()
        dist.barrier()
