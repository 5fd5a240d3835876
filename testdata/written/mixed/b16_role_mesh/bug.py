"""Device meshes for a job that hosts several roles."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


def build_actor_mesh(cfg):
    if dist.get_rank() >= cfg.actor_ranks:
        return None
    grid = torch.arange(cfg.actor_ranks).view(cfg.dp, cfg.tp)
    return DeviceMesh("cuda", grid, mesh_dim_names=("dp", "tp"))  # BUG 1


def build_role_mesh(cfg):
    world = dist.get_world_size()
    return init_device_mesh("cuda", (cfg.num_roles, world // cfg.num_roles), mesh_dim_names=("role", "shard"))


class RoleRunner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.mesh = build_role_mesh(cfg)
        self.role = self.mesh.get_local_rank("role")

    def critic_loss(self, loss):
        if self.role != self.cfg.critic_role:
            return None
        value = loss.detach().clone()
        dist.all_reduce(value, group=self.mesh.get_group("shard"))
        return value / self.mesh["shard"].size()


class LossMesh:
    def __init__(self, dp, cp, tp):
        self.mesh = init_device_mesh("cuda", (dp, cp, tp), mesh_dim_names=("dp", "cp", "tp"))

    def build_loss_group(self):
        if self.mesh.get_local_rank("tp") == 0:
            return self.mesh["dp", "cp"]._flatten("dp_cp").get_group()  # BUG 2
        return None

    def average(self, loss):
        total = loss.detach().clone()
        dist.all_reduce(total, group=self.mesh.get_group("cp"))
        dist.all_reduce(total, group=self.mesh.get_group("dp"))
        return total / (self.mesh["dp"].size() * self.mesh["cp"].size())
