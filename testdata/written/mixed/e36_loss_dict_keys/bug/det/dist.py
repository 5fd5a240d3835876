import torch
import torch.distributed as dist


def get_world_size():
    return dist.get_world_size() if dist.is_initialized() else 1


def get_rank():
    return dist.get_rank() if dist.is_initialized() else 0


@torch.no_grad()
def reduce_dict(input_dict, average=True):
    world = get_world_size()
    if world < 2:
        return input_dict
    names, values = [], []
    for k in sorted(input_dict.keys()):
        names.append(k)
        values.append(input_dict[k])
    values = torch.stack(values, dim=0)
    dist.all_reduce(values)  # BUG 1
    if average:
        values /= world
    return {k: v for k, v in zip(names, values)}


@torch.no_grad()
def reduce_known(stats, keys, device):
    """Like reduce_dict for optional entries: the key list is fixed, missing ones count as zero."""
    buf = torch.zeros(2, len(keys), device=device)
    for i, k in enumerate(keys):
        if k in stats:
            buf[0, i], buf[1, i] = stats[k], 1
    if get_world_size() > 1:
        dist.all_reduce(buf)
    return {k: (buf[0, i] / buf[1, i].clamp(min=1)).item() for i, k in enumerate(keys)}
