"""What an actor answers: one of them answers all ranks."""
import ray
import torch.distributed as dist


def connect(manager):
    engines, are_new = ray.get(manager.get_engines.remote())
    if len(engines) > 0 and are_new:
        dist.barrier()  # low: [conditional-collective]
    return engines
