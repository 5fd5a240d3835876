"""Two ends of one broadcast, each under a condition of its own: what the first rank has, and what the job is set to (P08)."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state as mpu


def send(tensor):
    if tensor is not None:
        dist.broadcast(tensor, mpu.get_tensor_model_parallel_src_rank(), group=mpu.get_tensor_model_parallel_group())


def batch_of(args, data):
    mask = None
    if mpu.get_tensor_model_parallel_rank() == 0:
        mask = data["mask"] if args.makes_masks else None
        send(mask)
    else:
        if args.asks_for_masks:
            mask = torch.empty(args.shape)
            dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=mpu.get_tensor_model_parallel_group())  # low: [conditional-collective]
    return mask


def at_one_end(args, data):
    mask = torch.empty(args.shape)
    if mpu.get_tensor_model_parallel_rank() == 0:
        if args.makes_masks:
            dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=mpu.get_tensor_model_parallel_group())  # error: [conditional-collective]
    return mask


def in_two_cases(args, mask, stage):
    group = mpu.get_tensor_model_parallel_group()
    if stage == "validation" and mpu.get_tensor_model_parallel_rank() == 0:
        dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=group)  # error: [conditional-collective]
    elif stage == "test":
        dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=group)
    return mask


def in_cases_that_may_be_one(args, mask, stage):
    group = mpu.get_tensor_model_parallel_group()
    if stage == "validation" and mpu.get_tensor_model_parallel_rank() == 0:
        dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=group)  # low: [conditional-collective]
    elif args.makes_masks:
        dist.broadcast(mask, mpu.get_tensor_model_parallel_src_rank(), group=group)
    return mask
