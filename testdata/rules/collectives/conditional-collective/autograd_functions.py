"""`apply` of an autograd function runs its `forward`, also under another name (P42)."""
import torch
import torch.distributed as dist
from torch.autograd import Function


class Gather(Function):
    @staticmethod
    def forward(ctx, x, group):
        parts = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, x, group=group)
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor


gather = Gather.apply


def on_the_first(x):
    if dist.get_rank() == 0:
        return Gather.apply(x, None)  # error: [conditional-collective]
    return x


def by_another_name(x):
    if dist.get_rank() == 0:
        return gather(x, None)  # error: [conditional-collective]
    return x


def everywhere(x):
    whole = Gather.apply(x, None)
    return whole if dist.get_rank() == 0 else x


def scaled_on_the_first(x):
    if dist.get_rank() == 0:
        return Scale.apply(x, 2)
    return x


def embed(encoder, images, group):
    rank = dist.get_rank()
    mine = images[rank :: dist.get_world_size()]
    if mine.shape[0] > 0:
        out = encoder(mine)
    else:
        out = torch.empty((0, 8))
    deep = None
    if isinstance(out, tuple):
        out, deep = out[0], out[1]
    whole = Gather.apply(out, None)
    if deep is not None:
        whole = whole + Gather.apply(deep, None)  # error: [conditional-collective]
    return whole


def embed_in_step(encoder, images, group):
    rank = dist.get_rank()
    mine = images[rank :: dist.get_world_size()]
    out = encoder(mine) if mine.shape[0] > 0 else torch.empty((0, 8))
    if isinstance(out, torch.Tensor):
        out = out.contiguous()
    return Gather.apply(out, None)
