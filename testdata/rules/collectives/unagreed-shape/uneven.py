"""Each rank sends as much as it has, and all know how much that is: what is received is cut by sizes."""
import torch
import torch.distributed as dist


def probed():
    size = dist.get_world_size()
    parts = list(torch.zeros([size * (size - 1) // 2]).split(list(range(size))))
    dist.all_gather(parts, torch.ones([dist.get_rank()]))


def of_sizes(sizes):
    parts = [torch.zeros(size) for size in sizes]
    dist.all_gather(parts, torch.ones([dist.get_rank()]))


def of_one_size():
    parts = [torch.zeros(4) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, torch.ones([dist.get_rank()]))  # error: [unagreed-shape]
