"""Groups that only their members create, or that ranks create from different lists (P24, P25)."""
import torch.distributed as dist


def members_only():
    if dist.get_rank() in (0, 1):
        return dist.new_group([0, 1])  # error: [conditional-group-creation]
    return None


def everybody_creates():
    return dist.new_group([0, 1])


def local_synchronisation():
    if dist.get_rank() in (0, 1):
        return dist.new_group([0, 1], use_local_synchronization=True)
    return None


def different_lists():
    rank = dist.get_rank()
    return dist.new_group([0, 3] if rank in (0, 3) else [1, 2])  # error: [conditional-group-creation]


def same_lists():
    rank, mine = dist.get_rank(), None
    for members in ([0, 3], [1, 2]):
        group = dist.new_group(members)
        if rank in members:
            mine = group
    return mine


def guarded_init():
    if not dist.is_initialized():
        dist.init_process_group("nccl")
