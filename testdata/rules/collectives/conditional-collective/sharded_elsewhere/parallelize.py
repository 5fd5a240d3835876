from seen import Seeing
from torch.distributed.fsdp import fully_shard


def parallelize(model: Seeing):
    for block in model.visual.blocks:
        fully_shard(block)
    fully_shard(model.visual)
    return model
