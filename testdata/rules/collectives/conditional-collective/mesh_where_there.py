"""A mesh that is there in one mode only: its parts are what they are wherever it is indexed."""

import os

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class Adapter:
    def __init__(self, server, device_mesh):
        self.server = server
        self.mesh = None
        if device_mesh is not None:
            names = device_mesh.mesh_dim_names
            self.mesh = init_device_mesh("cpu", mesh_shape=device_mesh.mesh.shape, mesh_dim_names=names)
            self.mesh[names[1:]]._flatten(mesh_dim_name="inner")
            self.is_leader = self.mesh["inner"].get_local_rank() == 0
        else:
            self.is_leader = int(os.environ["RANK"]) == 0

    def send(self, weight):
        dist.all_reduce(weight, group=self.mesh["inner"].get_group())

    def update(self, weights):
        if self.is_leader:
            in_parts = self.server.takes_parts()
        else:
            in_parts = False
        for name, weight in weights:
            if in_parts:
                if weight.numel() > self.server.limit:
                    self.send(weight)  # error: [conditional-collective]
        dist.barrier(group=self.mesh["inner"].get_group())

    def update_in_step(self, weights):
        for name, weight in weights:
            self.send(weight)
            if self.is_leader:
                self.server.take(name, weight)
        dist.barrier(group=self.mesh["inner"].get_group())
