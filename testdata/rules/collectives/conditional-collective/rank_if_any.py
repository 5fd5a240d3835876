"""A rank that is -1 where there is no job: what is asked of it is known of every rank."""

import os

import torch.distributed as dist
from megatron.core import mpu


def save(model):
    if mpu.model_parallel_is_initialized():
        dp_rank = mpu.get_data_parallel_rank()
    else:
        if dist.is_initialized():
            dp_rank = dist.get_rank()
        else:
            dp_rank = -1
    if dist.is_initialized() and dp_rank != 0:
        dist.barrier()
    if dp_rank in [-1, 0]:
        print(model)
        if dist.is_initialized():
            dist.barrier()


def first_only(model):
    rank = dist.get_rank() if dist.is_initialized() else -1
    if rank in [-1, 0]:
        print(model)
        if dist.is_initialized():
            dist.barrier()  # error: [conditional-collective]


def set_up_logger(local_rank):
    if local_rank not in [-1, 0]:
        dist.barrier()
    if local_rank == 0:
        dist.barrier()


def main(cfg):
    if "LOCAL_RANK" in os.environ and os.environ["LOCAL_RANK"] != -1:
        cfg.local_rank = int(os.environ["LOCAL_RANK"])
    set_up_logger(local_rank=cfg.local_rank)


def groups(cfg):
    if "LOCAL_RANK" in os.environ:
        cfg.local_rank = int(os.environ["LOCAL_RANK"])
    if cfg.local_rank == -1 or cfg.no_cuda:
        return None
    dist.init_process_group("nccl")
    return dist.new_group([0, 1])
