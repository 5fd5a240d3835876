"""2-D parallel training (FSDP2 x TP) with a token and throughput counter."""
import os
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

from token_stream import TokenStream


@dataclass
class JobConfig:
    tp: int = 4
    dim: int = 4096
    hidden: int = 11008
    depth: int = 8
    vocab: int = 32_000
    batch: int = 4
    seq: int = 2048
    steps: int = 10_000
    report_every: int = 20


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.RMSNorm(cfg.dim)
        self.w1 = nn.Linear(cfg.dim, cfg.hidden, bias=False)
        self.w2 = nn.Linear(cfg.hidden, cfg.dim, bias=False)

    def forward(self, x):
        return x + self.w2(F.silu(self.w1(self.norm(x))))


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.layers = nn.ModuleList(FeedForward(cfg) for _ in range(cfg.depth))
        self.out = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x)
        return self.out(x)


class ThroughputCounter:
    def __init__(self, mesh):
        self.mesh = mesh
        self.reports = mesh.get_local_rank("tp") == 0
        self.group = mesh.get_group("tp")  # BUG
        self.tokens = torch.zeros(1, device="cuda")
        self.since = time.perf_counter()

    def add(self, ids):
        self.tokens += (ids >= 0).sum()

    def report(self, step):
        elapsed = time.perf_counter() - self.since
        if self.reports:  # BUG
            total = self.tokens.clone()
            dist.all_reduce(total, group=self.group)  # BUG
            if self.mesh.get_local_rank("dp") == 0:
                print(f"step {step}: {total.item() / elapsed:.0f} tokens/s", flush=True)
        self.tokens.zero_()
        self.since = time.perf_counter()


def parallelize(model, mesh):
    for layer in model.layers:
        parallelize_module(layer, mesh["tp"], {"w1": ColwiseParallel(), "w2": RowwiseParallel()})
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return model


def main(cfg=JobConfig()):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh(
        "cuda", (dist.get_world_size() // cfg.tp, cfg.tp), mesh_dim_names=("dp", "tp")
    )
    torch.manual_seed(42)
    model = parallelize(Model(cfg).cuda(), mesh)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    stream = TokenStream(cfg.batch, cfg.seq, shard=mesh.get_local_rank("dp"), shards=mesh["dp"].size())
    counter = ThroughputCounter(mesh)
    for step in range(cfg.steps):
        ids = stream.next().cuda()
        counter.add(ids)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1).float(), ids[:, 1:].flatten())
        loss.backward()
        opt.step()
        opt.zero_grad()
        if (step + 1) % cfg.report_every == 0:
            counter.report(step + 1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
