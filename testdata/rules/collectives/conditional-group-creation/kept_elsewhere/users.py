"""All ranks ask for all groups, in one order, and then each for its own, which is kept."""
import torch.distributed as dist

from .keeper import keeper


def own_of_all(stride):
    world = dist.get_world_size()
    for first in range(stride):
        keeper().get_group(list(range(first, world, stride)))
    mine = list(range(dist.get_rank() % stride, world, stride))
    return keeper().get_group(mine)  # low: [conditional-group-creation]


def own_of_all_by_name(stride):
    world = dist.get_world_size()
    for first in range(stride):
        keeper().group_of(list(range(first, world, stride)))
    mine = list(range(dist.get_rank() % stride, world, stride))
    return keeper().group_of(mine)  # low: [conditional-group-creation]


def own_of_all_by_settings(settings):
    for first in range(settings.lines):
        keeper().get_group(list(range(first, settings.ranks, settings.lines)))
    mine = list(range(dist.get_rank() % settings.lines, settings.ranks, settings.lines))
    return keeper().get_group(mine)  # low: [conditional-group-creation]


def own_of_none(stride):
    mine = list(range(dist.get_rank() % stride, dist.get_world_size(), stride))
    return keeper().get_group(mine)  # error: [conditional-group-creation]


def own_of_one(stride, turns):
    world = dist.get_world_size()
    for _ in range(turns):
        keeper().get_group(list(range(0, world, stride)))
    mine = list(range(dist.get_rank() % stride, world, stride))
    return keeper().get_group(mine)  # error: [conditional-group-creation]


def own_of_none_by_settings(settings):
    mine = list(range(dist.get_rank() % settings.lines, settings.ranks, settings.lines))
    return keeper().get_group(mine)  # error: [conditional-group-creation]
