"""Who has something names itself as the root, all others name who has it."""

import torch.distributed as dist


def send_what_is_there(parts, name, buffer):
    part = parts[name]
    if hasattr(part, "data"):
        buffer.copy_(part)
        dist.broadcast(buffer, src=dist.get_rank())  # low: [wrong-root]
    else:
        dist.broadcast(buffer, src=part)


def send_always(parts, name, buffer):
    part = parts[name]
    if hasattr(part, "data"):
        buffer.copy_(part)
        dist.broadcast(buffer, src=dist.get_rank())  # error: [wrong-root]


def the_same_mistake_again(tensors, mpu):
    """One finding for all of them."""
    dist.broadcast(tensors[0], src=0, group=mpu.get_tensor_model_parallel_group())  # error: [wrong-root]
    dist.broadcast(tensors[1], src=0, group=mpu.get_tensor_model_parallel_group())
    dist.broadcast(tensors[2], src=0, group=mpu.get_tensor_model_parallel_group())
    dist.broadcast(tensors[3], src=0, group=mpu.get_tensor_model_parallel_group())
