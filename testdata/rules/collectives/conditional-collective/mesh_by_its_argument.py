"""A mesh is known by how it is asked: a place along one dimension says nothing within a group along another."""
import torch.distributed as dist


class Dims:
    def __init__(self, mesh):
        self.mesh = mesh

    @property
    def replica(self):
        return self.mesh.get_local_rank(mesh_dim="dp_replicate")

    def export(self, names):
        if self.replica > 0:
            return
        dist.all_gather_object(names, "x", group=self.mesh.get_group(mesh_dim="pp"))

    def export_across(self, names):
        if self.replica > 0:
            return
        dist.all_gather_object(names, "x", group=self.mesh.get_group(mesh_dim="dp_replicate"))  # error: [divergent-early-exit]
