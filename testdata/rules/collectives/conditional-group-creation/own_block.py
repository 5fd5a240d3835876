"""A group of this rank's own block: ranks pass different lists (P25)."""
import torch.distributed as dist


def own_block(size):
    rank = dist.get_rank()
    start = rank // size * size
    return dist.new_group(list(range(start, start + size)))  # error: [conditional-group-creation]


def blocks(size):
    rank, world, mine = dist.get_rank(), dist.get_world_size(), None
    for start in range(0, world, size):
        members = list(range(start, start + size))
        group = dist.new_group(members)
        if rank in members:
            mine = group
    return mine
