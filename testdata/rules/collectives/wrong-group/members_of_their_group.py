"""Groups that fit the ranks which reach them: nothing to report (P26, P27)."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state


class ExpertLayer:
    def __init__(self, ranks):
        self.ranks = ranks
        self.group = dist.new_group(ranks)

    def reduce(self, t):
        if dist.get_rank() in self.ranks:
            dist.all_reduce(t, group=self.group)

    def reduce_if_member(self, t):
        if dist.get_rank(self.group) >= 0:
            dist.all_reduce(t, group=self.group)

    def reduce_unless_outside(self, t):
        if self.group == dist.GroupMember.NON_GROUP_MEMBER:
            return t
        dist.all_reduce(t, group=self.group)
        return t


def ends(t):
    if parallel_state.is_pipeline_first_stage() or parallel_state.is_pipeline_last_stage():
        dist.all_reduce(t, group=parallel_state.get_embedding_group())


def gather_in_group(t, group=None):
    world = dist.get_world_size(group)
    parts = [torch.empty_like(t) for _ in range(world)]
    dist.all_gather(parts, t, group=group)
    return torch.cat(parts)


def expert(t):
    if parallel_state.get_expert_model_parallel_rank() == 0:
        dist.all_reduce(t, group=parallel_state.get_data_parallel_group())


def everybody(t):
    dist.all_reduce(t, group=parallel_state.get_data_parallel_group())
    dist.all_reduce(t, group=parallel_state.get_tensor_model_parallel_group())
    dist.barrier()
