"""The group that keeps embeddings alike is that of the first and the last stage of a pipeline."""
import torch.distributed as dist
from megatron.core import parallel_state as mpu


def keep_alike(embedding):
    if mpu.is_pipeline_first_stage() or mpu.is_pipeline_last_stage():
        dist.all_reduce(embedding, group=mpu.get_embedding_group())


def keep_alike_at_one_end(embedding):
    if mpu.is_pipeline_first_stage():
        dist.all_reduce(embedding, group=mpu.get_embedding_group())  # error: [conditional-collective]


class Model:
    """A third kind of stage has the embedding as well, and its members are in the group."""

    def __init__(self, config, embedding, predicts):
        self.pre_process = mpu.is_pipeline_first_stage()
        self.post_process = mpu.is_pipeline_last_stage()
        self.predicts = predicts(config, mpu.get_pipeline_model_parallel_rank())
        if self.pre_process or self.post_process or self.predicts:
            dist.all_reduce(embedding, group=mpu.get_embedding_group())
