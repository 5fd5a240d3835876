"""Who belongs to the group gets there, and who does not is not waited for."""
import torch.distributed as dist

from megatron.core import parallel_state


def reduce_embedding(grad):
    if parallel_state.is_rank_in_embedding_group():
        dist.all_reduce(grad, group=parallel_state.get_embedding_group())


def reduce_on_the_first_stage(grad):
    if parallel_state.is_pipeline_first_stage():
        dist.all_reduce(grad)  # error: [wrong-group]
