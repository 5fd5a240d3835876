import torch.distributed as dist
from groups import GroupCoordinator, get_tp_group, get_world_group


def through_the_getter(tensor):
    if get_tp_group().rank_in_group == 0:
        return get_tp_group().all_reduce(tensor)  # error: [conditional-collective]
    return tensor


def of_the_job(tensor):
    if get_world_group().rank_in_group == 0:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def by_annotation(tensor, group: GroupCoordinator):
    if dist.get_rank() == 0:
        group.all_reduce(tensor)  # error: [conditional-collective]


def on_every_rank(tensor):
    reduced = get_tp_group().all_reduce(tensor)
    if get_tp_group().rank_in_group == 0:
        print(reduced)
