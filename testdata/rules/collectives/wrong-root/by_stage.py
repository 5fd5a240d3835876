"""Whoever is asked for its place in the pipeline may be the only member of the group that it names itself the root of."""
import os

import torch.distributed as dist

from library import Mesh
from megatron.core import mpu


class Pipe:
    def __init__(self, mesh):
        self.mesh = mesh

    def share(self, loss):
        if self.is_last_stage():
            dist.broadcast(loss, src=self.global_rank, group=self.mesh.get_pp_proc_group())  # low: [wrong-root]

    def share_all(self, loss):
        dist.broadcast(loss, src=self.global_rank, group=self.mesh.get_pp_proc_group())  # error: [wrong-root]


class Trainer:
    def __init__(self, stages):
        size = int(os.getenv("WORLD_SIZE", "1")) // stages
        self.pipe = Pipe(Mesh(pp_num=stages, dp_num=size))

    def train(self, loss):
        self.pipe.share(loss)

    def train_all(self, loss):
        self.pipe.share_all(loss)


def share_in_a_line(loss):
    if mpu.get_data_parallel_rank() > 0:
        group = mpu.get_pipeline_model_parallel_group()
        dist.broadcast(loss, src=dist.get_rank(), group=group)  # error: [wrong-root]
