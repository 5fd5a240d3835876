"""A group that is none, which means all ranks, where its members are all ranks: that is so on every rank or on none."""
import torch.distributed as dist


def group_of(ranks, groups):
    if len(ranks) == dist.get_world_size():
        return None
    return groups[tuple(ranks)]


def line_of_a_grid(t, stride, groups):
    rank = dist.get_rank()
    group = group_of(list(range(rank % stride, dist.get_world_size(), stride)), groups)
    dist.broadcast(t, src=rank % stride, group=group)
    dist.barrier()


def this_rank_and_those_behind_it(t, groups):
    rank = dist.get_rank()
    group = group_of(list(range(rank, dist.get_world_size())), groups)
    dist.broadcast(t, src=rank, group=group)  # error: [wrong-group]
    dist.barrier()
