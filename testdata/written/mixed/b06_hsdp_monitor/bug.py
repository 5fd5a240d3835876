"""Gradient-norm monitoring for a hybrid-sharded (HSDP) FSDP2 model."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def build(model, replicas, shards):
    mesh = init_device_mesh("cuda", (replicas, shards), mesh_dim_names=("replicate", "shard"))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model, mesh


class HybridNormMonitor:
    def __init__(self, model, mesh):
        self.model = model
        self.mesh = mesh
        self.shard_group = mesh.get_group("shard")
        self.replica_index = mesh.get_local_rank("replicate")
        self.shard_index = mesh.get_local_rank("shard")

    def _local_square(self):
        total = torch.zeros((), device="cuda")
        for p in self.model.parameters():
            if p.grad is not None:
                total += p.grad.to_local().float().pow(2).sum()
        return total

    def grad_norm(self):
        if self.replica_index != 0:
            return None
        total = self._local_square()
        dist.all_reduce(total, group=self.shard_group)
        return total.sqrt()

    def weight_norm(self):
        total = sum(p.to_local().float().pow(2).sum() for p in self.model.parameters())
        if self.shard_index == 0:
            dist.all_reduce(total, group=self.shard_group)  # BUG 1
            return total.sqrt()
        return None

    def peak_memory(self):
        peak = torch.tensor([torch.cuda.max_memory_allocated()], device="cuda")
        if self.replica_index == 0:
            dist.all_reduce(peak, op=dist.ReduceOp.MAX)  # BUG 2
            print(f"peak {peak.item() / 2**30:.1f} GiB")
