import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel as DDP

from mmtrain.data import MultiModalStream
from mmtrain.model import build_tp_model


@dataclass
class Layout:
    dp: int
    tp: int

    def build(self):
        mesh = init_device_mesh("cuda", (self.dp, self.tp), mesh_dim_names=("dp", "tp"))
        return mesh


class TensorParallelLoader:
    """One member of each tensor-parallel group reads, the rest receive a copy."""

    def __init__(self, mesh, stream_factory, micro_batch, seq_len, device):
        self.group = mesh.get_group("tp")
        self.reads = mesh.get_local_rank("tp") == 0
        self.root = dist.get_global_rank(self.group, 0)
        self.stream = stream_factory(mesh.get_local_rank("dp")) if self.reads else None
        self.shape = (micro_batch, seq_len + 1)
        self.device = device

    def __iter__(self):
        return self

    def __next__(self):
        if self.reads:
            tokens = self.stream.next_block(*self.shape).to(self.device)
        else:
            tokens = torch.empty(self.shape, dtype=torch.long, device=self.device)
        dist.broadcast(tokens, src=self.root, group=self.group)
        return tokens[:, :-1], tokens[:, 1:]


class Engine:
    def __init__(self, layout, micro_batch, seq_len, lr):
        self.mesh = layout.build()
        self.device = torch.device("cuda", torch.cuda.current_device())
        model = build_tp_model(self.mesh["tp"]).to(self.device)
        self.model = DDP(model, process_group=self.mesh.get_group("dp"))
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.loader = TensorParallelLoader(
            self.mesh, self._make_stream, micro_batch, seq_len, self.device
        )

    def _make_stream(self, dp_index):
        return MultiModalStream(os.environ["DATA"], shard=dp_index, num_shards=self.mesh["dp"].size())

    def fit(self, steps):
        for step in range(steps):
            inputs, labels = next(self.loader)
            loss = self.model(inputs, labels=labels)
            loss.backward()
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)
            if step % 20 == 0:
                mean = loss.detach().clone()
                dist.all_reduce(mean, op=dist.ReduceOp.AVG, group=self.mesh.get_group("dp"))
                if dist.get_rank() == 0:
                    print(f"step {step} loss {mean.item():.4f}", flush=True)


if __name__ == "__main__":
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    world = dist.get_world_size()
    tp = int(os.environ.get("TP", "4"))
    Engine(Layout(world // tp, tp), micro_batch=4, seq_len=2048, lr=1e-4).fit(10_000)
    dist.destroy_process_group()
