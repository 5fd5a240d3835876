"""Builds the data / tensor parallel layout of a small Megatron-like trainer."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

_TENSOR_GROUP = None
_DATA_GROUP = None


def initialize_model_parallel(tp_size):
    global _TENSOR_GROUP, _DATA_GROUP
    world, rank = dist.get_world_size(), dist.get_rank()
    assert world % tp_size == 0, f"world size {world} is not a multiple of {tp_size}"

    for start in range(0, world, tp_size):
        ranks = list(range(start, start + tp_size))
        group = dist.new_group(ranks)
        if rank in ranks:
            _TENSOR_GROUP = group

    for lane in range(tp_size):
        ranks = list(range(lane, world, tp_size))
        group = dist.new_group(ranks)
        if rank in ranks:
            _DATA_GROUP = group


def tensor_group():
    assert _TENSOR_GROUP is not None, "initialize_model_parallel() was not called"
    return _TENSOR_GROUP


def data_group():
    assert _DATA_GROUP is not None, "initialize_model_parallel() was not called"
    return _DATA_GROUP


class _ReduceForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x, group=tensor_group())
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class _ReduceBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g, group=tensor_group())
        return g


class ParallelMLP(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        part = hidden // dist.get_world_size(tensor_group())
        self.up = nn.Linear(dim, part)
        self.down = nn.Linear(part, dim, bias=False)

    def forward(self, x):
        return x + _ReduceForward.apply(self.down(F.gelu(self.up(_ReduceBackward.apply(x)))))


def average_gradients(model):
    group = data_group()
    n = dist.get_world_size(group)
    for p in model.parameters():
        dist.all_reduce(p.grad, group=group)
        p.grad.div_(n)


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    initialize_model_parallel(tp_size=int(os.environ.get("TP", "2")))
    torch.manual_seed(dist.get_rank(tensor_group()))
    model = nn.Sequential(*[ParallelMLP(1024, 4096) for _ in range(8)]).cuda()
    opt = torch.optim.Adam(model.parameters(), lr=1e-4)
    gen = torch.Generator().manual_seed(dist.get_rank(data_group()))
    for step in range(1000):
        x = torch.randn(32, 1024, generator=gen).cuda()
        loss = (model(x) - x.roll(1, dims=1)).square().mean()
        opt.zero_grad()
        loss.backward()
        average_gradients(model)
        opt.step()
        if step % 100 == 0 and dist.get_rank() == 0:
            print(step, loss.item(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
