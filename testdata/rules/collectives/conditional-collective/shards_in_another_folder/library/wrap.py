from torch.distributed.fsdp import FullyShardedDataParallel


def wrap(model):
    return FullyShardedDataParallel(model)
