"""A rank that fails before it has communicated has nothing to take down that would wait for its peers."""
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(load):
    dist.init_process_group("nccl")
    try:
        model = load()
        return DDP(model)
    finally:
        dist.destroy_process_group()  # low: [collective-in-handler]


def wrap_and_wait(load):
    dist.init_process_group("nccl")
    try:
        model = load()
        model = DDP(model)
        model.tune()
        dist.barrier()
        return model
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]


def train(load):
    model = DDP(load())
    dist.barrier()
    return model


def wrap_somewhere(load):
    """Whatever wraps the model may go on."""
    dist.init_process_group("nccl")
    try:
        return train(load)
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]
