"""Membership asked of the group itself: nothing to report (P26)."""
import torch.distributed as dist


def by_ranks(t, group):
    if dist.get_rank() not in dist.get_process_group_ranks(group):
        return t
    dist.all_reduce(t, group=group)
    return t


def by_ranks_inside(t, group):
    members = dist.get_process_group_ranks(group)
    if dist.get_rank() in members:
        dist.all_reduce(t, group=group)


def by_rank_in_group(t, group):
    if dist.get_rank(group) != -1:
        dist.all_reduce(t, group=group)


def leader_only(t, group):
    if dist.get_rank() == dist.get_process_group_ranks(group)[0]:
        dist.all_reduce(t, group=group)  # error: [conditional-collective]
