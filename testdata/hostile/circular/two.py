import one
from one import first, missing
import torch.distributed as dist

VALUE = one.VALUE


def second():
    first()
    if dist.get_rank() == VALUE:
        dist.barrier()


class Two(one.One):
    pass
