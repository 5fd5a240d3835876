import torch.distributed as dist


class Mesh:
    def __init__(self, mesh_pg):
        self.mesh_pg = mesh_pg

    def all_reduce(self, tensor, group):
        dist.all_reduce(tensor, group=group)  # error: [unchecked-group]
        return tensor
