"""Rank 0 is the first along every axis of a mesh: what it would do elsewhere on one is done by nobody."""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("dp", "tp"))


def never(x):
    if dist.get_rank() == 0:
        if mesh.get_local_rank("tp") != 0:
            dist.all_reduce(x)


def always(x):
    if mesh.get_local_rank("tp") == 0 or dist.get_rank() != 0:
        dist.all_reduce(x)
    else:
        dist.barrier()


def never_on_the_axis(x):
    if dist.get_rank() == 0:
        if mesh.get_local_rank("tp") == 1:
            dist.all_reduce(x, group=mesh.get_group("tp"))


def first_of_its_row(x):
    if mesh.get_local_rank("tp") == 0:
        dist.all_reduce(x)  # error: [wrong-group]
