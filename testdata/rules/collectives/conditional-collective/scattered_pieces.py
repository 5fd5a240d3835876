"""Each rank holds its own piece after the collective: no agreement (P18)."""
import torch
import torch.distributed as dist


def scattered(x, out, t):
    dist.reduce_scatter_tensor(out, x)
    if out.item() > 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def received(x, t):
    flags = [torch.zeros(1) for _ in range(dist.get_world_size())]
    dist.all_to_all(flags, list(x.chunk(dist.get_world_size())))
    if flags[0].item():
        dist.barrier()  # error: [conditional-collective]
