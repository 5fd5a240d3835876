"""A group that is handed over, or all ranks where none is: what runs on the group is given it."""
import torch.distributed as dist


def share(metadata, tensors, src=0, group=None):
    group = group or dist.group.WORLD
    rank = dist.get_rank()
    if rank == src:
        dist.broadcast_object_list([metadata], src=src, group=group)
        for tensor in tensors:
            dist.broadcast(tensor, src=src)  # error: [conditional-collective, wrong-group]
    else:
        received = [None]
        dist.broadcast_object_list(received, src=src, group=group)
        for tensor in tensors:
            dist.broadcast(tensor, src=src, group=group)


def agree(flag, pg=None):
    if pg is None:
        pg = dist.group.WORLD
    size = dist.get_world_size(pg)
    dist.all_reduce(flag)  # error: [wrong-group]
    return flag.item() == size


def another(flag, group):
    size = dist.get_world_size(group)
    group = dist.group.WORLD
    dist.all_reduce(flag)
    return size
