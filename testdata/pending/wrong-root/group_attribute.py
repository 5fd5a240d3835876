"""A literal root, or the rank within the group, with a group that was made somewhere else (P23)."""
import torch.distributed as dist
from megatron.core import parallel_state


class Replica:
    def __init__(self, size):
        self.group = None
        for start in range(0, dist.get_world_size(), size):
            ranks = list(range(start, start + size))
            made = dist.new_group(ranks)
            if dist.get_rank() in ranks:
                self.group = made
                self.leader = ranks[0]

    def share(self, t):
        dist.broadcast(t, src=0, group=self.group)  # error: [wrong-root]

    def share_in_step(self, t):
        dist.broadcast(t, src=self.leader, group=self.group)


def own_rank(t, group: dist.ProcessGroup):
    dist.broadcast(t, src=group.rank(), group=group)  # error: [wrong-root]


def leader(t, group: dist.ProcessGroup):
    dist.broadcast(t, src=dist.get_global_rank(group, 0), group=group)


def stage_leader(t):
    if parallel_state.is_pipeline_last_stage() and parallel_state.get_data_parallel_rank() == 0:
        dist.all_reduce(t, group=parallel_state.get_data_parallel_group())  # error: [conditional-collective]
