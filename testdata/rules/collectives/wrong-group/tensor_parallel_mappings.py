"""The mappings of tensor parallelism: every collective on its own group."""
import torch
import torch.distributed as dist
from megatron.core.parallel_state import (
    get_tensor_model_parallel_group,
    get_tensor_model_parallel_rank,
    get_tensor_model_parallel_src_rank,
    get_tensor_model_parallel_world_size,
)


def _reduce(input_):
    if get_tensor_model_parallel_world_size() == 1:
        return input_
    dist.all_reduce(input_, group=get_tensor_model_parallel_group())
    return input_


def _gather_along_last_dim(input_):
    world_size = get_tensor_model_parallel_world_size()
    if world_size == 1:
        return input_
    rank = get_tensor_model_parallel_rank()
    tensor_list = [torch.empty_like(input_) for _ in range(world_size)]
    tensor_list[rank] = input_
    dist.all_gather(tensor_list, input_, group=get_tensor_model_parallel_group())
    return torch.cat(tensor_list, dim=-1).contiguous()


def _split_along_first_dim(input_):
    world_size = get_tensor_model_parallel_world_size()
    if world_size == 1:
        return input_
    size = input_.size(0)
    assert size % world_size == 0
    local = size // world_size
    rank = get_tensor_model_parallel_rank()
    return input_[rank * local : (rank + 1) * local].contiguous()


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input_):
        return input_

    @staticmethod
    def backward(ctx, grad_output):
        return _reduce(grad_output)


def broadcast_data(keys, data, datatype):
    sizes = [0] * 8 * len(keys)
    if get_tensor_model_parallel_rank() == 0:
        offset = 0
        for key in keys:
            for i, s in enumerate(data[key].size()):
                sizes[i + offset] = s
            offset += 8
    sizes_cuda = torch.tensor(sizes, dtype=torch.long, device="cuda")
    dist.broadcast(sizes_cuda, get_tensor_model_parallel_src_rank(), group=get_tensor_model_parallel_group())
    total = int(sizes_cuda.cpu().sum())
    if get_tensor_model_parallel_rank() == 0:
        flat = torch.cat([data[key].contiguous().view(-1) for key in keys], dim=0).cuda()
    else:
        flat = torch.empty(total, device="cuda", dtype=datatype)
    dist.broadcast(flat, get_tensor_model_parallel_src_rank(), group=get_tensor_model_parallel_group())
    return flat


def broadcast_sizes_only(keys, data):
    flat = torch.zeros(8, device="cuda")
    if get_tensor_model_parallel_rank() == 0:
        dist.broadcast(flat, get_tensor_model_parallel_src_rank(), group=get_tensor_model_parallel_group())  # error: [conditional-collective]
    return flat
