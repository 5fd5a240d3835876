"""The number of a group's last member, where its rank in the job is meant."""
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class Pipeline:
    def __init__(self, pp_size, dp_size):
        self.mesh = init_device_mesh("cuda", (pp_size, dp_size), mesh_dim_names=("pp", "dp"))
        self.pp_size = pp_size
        self.pp_group = self.mesh.get_group("pp")

    def share_loss(self, loss):
        dist.broadcast(loss, src=self.pp_size - 1, group=self.pp_group)  # error: [wrong-root]

    def share_counts(self, counts):
        last = dist.get_world_size(self.pp_group) - 1
        dist.broadcast(counts, src=last, group=self.pp_group)  # error: [wrong-root]

    def share_by_place(self, loss):
        dist.broadcast(loss, group_src=self.pp_size - 1, group=self.pp_group)

    def share_by_rank(self, loss):
        last = dist.get_global_rank(self.pp_group, self.pp_size - 1)
        dist.broadcast(loss, src=last, group=self.pp_group)

    def share_with_all(self, loss):
        dist.broadcast(loss, src=dist.get_world_size() - 1)
