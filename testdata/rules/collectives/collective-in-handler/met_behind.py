"""Whoever fails tells the others, and they ask behind the block, where nothing else is issued before."""
import torch
import torch.distributed as dist


def tell(failed):
    flag = torch.tensor(float(failed))
    dist.all_reduce(flag)
    return flag.item() > 0


def measure(read, path):
    try:
        result = open(path).read()
    except Exception:
        tell(True)
        raise
    tell(False)
    return result


def measure_together(path, tensor):
    try:
        result = open(path).read()
    except Exception:
        tell(True)  # error: [collective-in-handler]
        raise
    dist.broadcast(tensor, src=0)
    return result
