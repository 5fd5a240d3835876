"""Roots in the right space, the same on every member: nothing to report (P23)."""
import torch.distributed as dist
from megatron.core import parallel_state


class Broadcaster:
    def __init__(self, ranks):
        self.ranks = ranks
        self.group = dist.new_group(ranks)
        self.src = ranks[0]

    def share(self, t):
        dist.broadcast(t, src=self.src, group=self.group)

    def share_relative(self, t):
        dist.broadcast(t, group_src=0, group=self.group)

    def share_objects(self, obj):
        box = [obj]
        dist.broadcast_object_list(box, src=dist.get_process_group_ranks(self.group)[0], group=self.group)
        return box[0]


def share(t, src=0):
    dist.broadcast(t, src=src)


def pair(t):
    group = dist.new_group([0, 3])
    dist.broadcast(t, src=0, group=group)


def batch(t):
    source = parallel_state.get_tensor_model_parallel_src_rank()
    dist.broadcast(t, source, group=parallel_state.get_tensor_model_parallel_group())


def last_stage(t):
    source = parallel_state.get_pipeline_model_parallel_last_rank()
    dist.broadcast(t, source, group=parallel_state.get_pipeline_model_parallel_group())


def in_turn(tensors):
    for root, t in enumerate(tensors):
        dist.broadcast(t, src=root % dist.get_world_size())


def to_main(t):
    dist.reduce(t, dst=0, op=dist.ReduceOp.SUM)
    if dist.get_rank() == 0:
        print(t)
