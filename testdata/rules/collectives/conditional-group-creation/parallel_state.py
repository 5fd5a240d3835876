"""A home-made parallel state in Megatron's style: every rank creates every group."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

_TP = None
_DP = None


def mesh_on_workers():
    if dist.get_rank() != 0:
        return init_device_mesh("cuda", (3,))  # error: [conditional-group-creation]
    return None


def mesh_everywhere(tp):
    return init_device_mesh("cuda", (dist.get_world_size() // tp, tp), mesh_dim_names=("dp", "tp"))
