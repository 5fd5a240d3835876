"""The group that keeps embeddings alike is that of the first and the last stage of a pipeline."""
import torch.distributed as dist
from megatron.core import parallel_state as mpu


def keep_alike(embedding):
    if mpu.is_pipeline_first_stage() or mpu.is_pipeline_last_stage():
        dist.all_reduce(embedding, group=mpu.get_embedding_group())


def keep_alike_at_one_end(embedding):
    if mpu.is_pipeline_first_stage():
        dist.all_reduce(embedding, group=mpu.get_embedding_group())  # error: [conditional-collective]


def keep_alike_where_kept(embedding, layout):
    """A third kind of stage has the embedding as well, and its members are in the group."""
    stage = mpu.get_pipeline_model_parallel_rank()
    if stage == 0 or stage in layout.stages:
        dist.all_reduce(embedding, group=mpu.get_embedding_group())  # low: [conditional-collective]
