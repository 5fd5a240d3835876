"""Groups made of the ranks of another group, or of one node: ranks outside have other lists."""

import socket
from typing import Optional

import torch.distributed as dist


def embedding_groups(pp_group: dist.ProcessGroup):
    ranks = sorted(dist.get_process_group_ranks(pp_group))
    ends = [ranks[0]]
    if len(ranks) > 1:
        ends.append(ranks[-1])
    return dist.new_group(ranks=ends)  # error: [conditional-group-creation]


class Layer:
    def __init__(self, mesh):
        self.group = mesh.get_group("tp")
        ranks = dist.get_process_group_ranks(self.group)
        self.twin = dist.new_group(ranks, backend="gloo")  # error: [conditional-group-creation]


def neighbours_on_the_node():
    me = socket.gethostname()
    hosts = [None] * dist.get_world_size()
    dist.all_gather_object(hosts, me)
    mine = [rank for rank, host in enumerate(hosts) if host == me]
    return dist.new_group(mine)  # error: [conditional-group-creation]


def tensor_parallel_block(tp_size):
    start = dist.get_rank() // tp_size * tp_size
    return dist.new_group(list(range(start, start + tp_size)))  # error: [conditional-group-creation]


def block_of_eight():
    start = dist.get_rank() // 8 * 8
    return dist.new_group(range(start, start + 8))  # error: [conditional-group-creation]


def twin_of_the_job():
    ranks = dist.get_process_group_ranks(dist.group.WORLD)
    return dist.new_group(ranks, backend="gloo")


def twin_among_members(tp_group):
    ranks = dist.get_process_group_ranks(tp_group)
    return dist.new_group(ranks, use_local_synchronization=True)


def twin_among_members_where_they_are_not_all(tp_group):
    ranks = dist.get_process_group_ranks(tp_group)
    return dist.new_group(ranks, use_local_synchronization=len(ranks) < dist.get_world_size())


def every_block(tp_size):
    mine: Optional[dist.ProcessGroup] = None
    for start in range(0, dist.get_world_size(), tp_size):
        ranks = list(range(start, start + tp_size))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            mine = group
    return mine


def every_node():
    hosts = [None] * dist.get_world_size()
    dist.all_gather_object(hosts, socket.gethostname())
    groups = {}
    for host in sorted(set(hosts)):
        groups[host] = dist.new_group([rank for rank, other in enumerate(hosts) if other == host])
    return groups[socket.gethostname()]


def each_of_its_own(group):
    everybody = [None] * dist.get_world_size()
    dist.all_gather_object(everybody, dist.get_process_group_ranks(group))
    made = {}
    for ranks in everybody:
        if tuple(ranks) not in made:
            made[tuple(ranks)] = dist.new_group(ranks)
    return made


def twin_of_all_or_none(group):
    ranks = dist.get_process_group_ranks(group)
    if len(ranks) != dist.get_world_size():
        raise ValueError("every process has to call this")
    return dist.new_group(ranks, backend="gloo")  # low: [conditional-group-creation]
