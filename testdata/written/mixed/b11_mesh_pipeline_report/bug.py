"""Loss sharing and sample collection on a (pp, dp) device mesh."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class PipelineReporter:
    def __init__(self, pp_size, dp_size):
        self.mesh = init_device_mesh("cuda", (pp_size, dp_size), mesh_dim_names=("pp", "dp"))
        self.pp_size = pp_size
        self.pp_group = self.mesh.get_group("pp")
        self.dp_group = self.mesh.get_group("dp")
        self.stage = self.mesh.get_local_rank("pp")

    @property
    def is_last(self):
        return self.stage == self.pp_size - 1

    def _buffer(self, value):
        if self.is_last:
            return value.detach().float().reshape(1)
        return torch.zeros(1, device="cuda")

    def share_loss(self, loss):
        buf = self._buffer(loss)
        src = dist.get_global_rank(self.pp_group, self.pp_size - 1)
        dist.broadcast(buf, src=src, group=self.pp_group)
        return buf.item()

    def share_accuracy(self, acc):
        buf = self._buffer(acc)
        dist.broadcast(buf, src=self.pp_size - 1, group=self.pp_group)  # BUG 1
        return buf.item()

    def collect_samples(self, samples):
        is_dst = dist.get_rank() == 0
        out = [None] * dist.get_world_size(self.dp_group) if is_dst else None
        dist.gather_object(samples, out, dst=0, group=self.dp_group)  # BUG 2
        return out

    def collect_timings(self, timings):
        dst = dist.get_process_group_ranks(self.dp_group)[0]
        is_dst = dist.get_rank() == dst
        out = [None] * dist.get_world_size(self.dp_group) if is_dst else None
        dist.gather_object(timings, out, dst=dst, group=self.dp_group)
        return out
