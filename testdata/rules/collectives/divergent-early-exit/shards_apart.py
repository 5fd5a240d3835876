"""What has no `to_local` is no sharded tensor."""
import torch.distributed as dist


def local_part(tensor):
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()
    elif hasattr(tensor, "full_tensor"):
        tensor = tensor.full_tensor()
    return tensor


def probe(tensor):
    if dist.get_rank() != 0:
        return None
    return local_part(tensor)  # low: [divergent-early-exit]


def whole(tensor):
    if hasattr(tensor, "full_tensor"):
        tensor = tensor.full_tensor()
    return tensor


def probe_whole(tensor):
    if dist.get_rank() != 0:
        return None
    return whole(tensor)  # error: [divergent-early-exit]
