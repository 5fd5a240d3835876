"""Local SGD / DiLoCo style training: inner AdamW steps, outer averaging of the weights overlapped with compute."""
import argparse
import os
from dataclasses import dataclass
from typing import List

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Bucket:
    params: List[nn.Parameter]
    flat: torch.Tensor
    work: object = None

    def fill(self, anchors):
        offset = 0
        for p in self.params:
            self.flat[offset:offset + p.numel()].copy_((anchors[p] - p.data).flatten())
            offset += p.numel()

    def views(self):
        offset = 0
        for p in self.params:
            yield p, self.flat[offset:offset + p.numel()].view_as(p)
            offset += p.numel()


def make_buckets(params, cap=25_000_000):
    buckets, cur, n = [], [], 0
    for p in params:
        if cur and n + p.numel() > cap:
            buckets.append(Bucket(cur, torch.empty(n, device=cur[0].device)))
            cur, n = [], 0
        cur.append(p)
        n += p.numel()
    buckets.append(Bucket(cur, torch.empty(n, device=cur[0].device)))
    return buckets


class OuterOptimizer:
    def __init__(self, model, lr=0.7, momentum=0.9):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.anchor = {p: p.data.clone() for p in self.params}
        self.momentum = {p: torch.zeros_like(p) for p in self.params}
        self.buckets = make_buckets(self.params)
        self.lr, self.beta = lr, momentum

    @torch.no_grad()
    def launch(self):
        for b in self.buckets:
            b.fill(self.anchor)
            b.work = dist.all_reduce(b.flat, async_op=True)  # BUG 1

    @torch.no_grad()
    def apply(self):
        world = dist.get_world_size()
        for b in self.buckets:
            for p, delta in b.views():  # BUG 1
                m = self.momentum[p].mul_(self.beta).add_(delta, alpha=1.0 / world)
                self.anchor[p].sub_(delta / world + self.beta * m, alpha=self.lr)
                p.data.copy_(self.anchor[p])
            b.work = None


class BufferSync:
    """Averages running statistics, overlapped; handles are kept until needed."""

    def __init__(self, model):
        self.buffers = [b for b in model.buffers() if b.dtype.is_floating_point]
        self.handles = []

    def start(self):
        self.handles = [dist.all_reduce(b, op=dist.ReduceOp.AVG, async_op=True) for b in self.buffers]

    def finish(self):
        for h in self.handles:
            h.wait()
        self.handles.clear()


class Net(nn.Module):
    def __init__(self, classes=100):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(3, 64, 3, 2), nn.BatchNorm2d(64), nn.ReLU(), nn.Conv2d(64, 256, 3, 2),
                               nn.BatchNorm2d(256), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(256, classes)

    def forward(self, x):
        return self.head(self.f(x))


@torch.no_grad()
def broadcast_model(model):
    for t in list(model.parameters()) + list(model.buffers()):
        dist.broadcast(t.data, src=0)


@torch.no_grad()
def evaluate(model, gen, device, n=10):
    model.eval()
    acc = torch.zeros(2, device=device)
    for _ in range(n):
        x = torch.randn(64, 3, 64, 64, generator=gen).to(device)
        y = torch.randint(0, 100, (64,), generator=gen).to(device)
        acc[0] += (model(x).argmax(1) == y).sum()
        acc[1] += len(y)
    work = dist.all_reduce(acc, async_op=True)
    model.train()
    work.wait()
    return (acc[0] / acc[1]).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--inner-steps", type=int, default=100)
    p.add_argument("--rounds", type=int, default=200)
    p.add_argument("--batch", type=int, default=64)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = Net().to(device)
    broadcast_model(model)
    inner = torch.optim.AdamW(model.parameters(), lr=1e-3)
    outer = OuterOptimizer(model)
    bufs = BufferSync(model)
    gen = torch.Generator().manual_seed(dist.get_rank())

    for rnd in range(args.rounds):
        total = 0.0
        for _ in range(args.inner_steps):
            x = torch.randn(args.batch, 3, 64, 64, generator=gen).to(device)
            y = torch.randint(0, 100, (args.batch,), generator=gen).to(device)
            loss = F.cross_entropy(model(x), y)
            inner.zero_grad()
            loss.backward()
            inner.step()
            total += loss.detach()
        bufs.start()
        outer.launch()
        mean = (total / args.inner_steps).item()
        bufs.finish()
        outer.apply()
        acc = evaluate(model, gen, device)
        if dist.get_rank() == 0:
            print(f"round {rnd} loss {mean:.4f} acc {acc:.3f}", flush=True)
            torch.save(model.state_dict(), "local_sgd.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
