"""A mesh that a function is handed is the part of it that its caller hands over, whatever it is called."""
import torch.distributed as dist


def scatter(rows, device_mesh):
    out = [None]
    dist.scatter_object_list(out, rows, group=device_mesh.get_group())
    return out[0]


class Rollout:
    def __init__(self, size, tp_size):
        self.device_mesh = dist.device_mesh.init_device_mesh(
            "cpu", mesh_dim_names=("dp", "tp"), mesh_shape=(size, tp_size)
        )

    def by_its_part(self, rows):
        if self.device_mesh["tp"].get_local_rank() == 0:
            rows = scatter(rows, self.device_mesh["dp"])
        return rows

    def by_the_other_part(self, rows):
        if self.device_mesh["tp"].get_local_rank() == 0:
            rows = scatter(rows, self.device_mesh["tp"])  # error: [conditional-collective]
        return rows
