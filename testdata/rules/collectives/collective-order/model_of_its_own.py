"""A state dict that one rank asks for in another function: of a model of its own, which is whole."""
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard


def converted(build, path):
    model = build(path)
    return get_model_state_dict(model)


def convert_on_the_first(trained, build, path):
    fully_shard(trained)
    if dist.get_rank() == 0:
        converted(build, path)  # low: [collective-order]
        dist.barrier()
    else:
        dist.barrier()


def gathered_on_the_first(trained):
    fully_shard(trained)
    if dist.get_rank() == 0:
        get_model_state_dict(trained)  # error: [collective-order]
        dist.barrier()
    else:
        dist.barrier()
