"""A guard on one axis of a mesh and a collective on another one (P26)."""
import torch.distributed as dist

RANKS = (0, 1)


def other_axis(t, mesh):
    if mesh["tp"].get_local_rank() == 0:
        dist.all_reduce(t, group=mesh["dp"].get_group())
