"""Who launches it shards the model: a state is no business of one rank then."""
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def prepared(model):
    return Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin()).prepare(model)
