"""Every rank creates every group: nothing to report (P24, P25)."""
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class Topology:
    def __init__(self, tp, pp):
        rank, world = dist.get_rank(), dist.get_world_size()
        self.groups = {}
        for name, blocks in {"tp": self.blocks(world, tp), "pp": self.blocks(world, pp)}.items():
            for ranks in blocks:
                group = dist.new_group(ranks)
                if rank in ranks:
                    self.groups[name] = group

    @staticmethod
    def blocks(world, size):
        return [list(range(start, start + size)) for start in range(0, world, size)]


def gloo():
    if dist.get_backend() == "nccl":
        return dist.new_group(backend="gloo")
    return dist.group.WORLD


def subgroups(size):
    mine, _ = dist.new_subgroups(group_size=size)
    return mine


def enumerated(world):
    mine, groups = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
    return mine


def mesh(tp):
    if not dist.is_initialized():
        dist.init_process_group("nccl")
    world = dist.get_world_size()
    return init_device_mesh("cuda", (world // tp, tp), mesh_dim_names=("dp", "tp"))


def local(ranks):
    if dist.get_rank() in ranks:
        return dist.new_group(ranks, use_local_synchronization=True)
    return None
