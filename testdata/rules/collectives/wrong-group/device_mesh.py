"""Axes of a mesh made here: guards and groups on the same axis, and on different ones (P18, P26)."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class Parallel:
    def __init__(self):
        self.mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("dp", "tp"))
        self.tp_rank = self.mesh.get_local_rank("tp")
        self.dp_group = self.mesh.get_group("dp")
        self.tp_group = self.mesh.get_group("tp")

    def norm(self, t):
        if self.tp_rank == 0:
            dist.all_reduce(t, group=self.dp_group)

    def same_axis(self, t):
        if self.tp_rank == 0:
            dist.all_reduce(t, group=self.tp_group)  # error: [conditional-collective]

    def everybody(self, t):
        if self.tp_rank == 0:
            dist.barrier()  # error: [wrong-group]

    def found_inf(self, flag, t):
        dist.all_reduce(flag, group=self.tp_group)
        if flag.item() > 0:
            dist.all_reduce(t, group=self.tp_group)
