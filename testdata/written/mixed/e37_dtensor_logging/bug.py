"""FSDP2 + tensor parallel pre-training on a 2-D mesh, torchtitan style."""
import argparse
import os
import time
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        h = self.norm(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Transformer(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([FeedForward(dim, 4 * dim) for _ in range(layers)])
        self.out = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        h = self.tok(ids)
        for layer in self.layers:
            h = layer(h)
        return self.out(h)


def parallelize(model, mesh):
    plan = {"w1": ColwiseParallel(), "w3": ColwiseParallel(), "w2": RowwiseParallel()}
    for layer in model.layers:
        parallelize_module(layer, mesh["tp"], plan)
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return model


class MetricLogger:
    def __init__(self, every, histogram_every, path):
        self.every, self.histogram_every, self.path = every, histogram_every, path
        self.tokens, self.t0 = 0, time.perf_counter()

    def should_log(self, step):
        return step == 1 or step % self.every == 0

    def write(self, text):
        with open(self.path, "a") as f:
            f.write(text + "\n")

    def log(self, step, loss, norm):
        rate = self.tokens / (time.perf_counter() - self.t0)
        self.tokens, self.t0 = 0, time.perf_counter()
        self.write(f"step {step} loss {loss:.4f} grad_norm {norm:.3f} tps {rate:.0f}")

    def histograms(self, step, model):
        for name, p in model.named_parameters():
            full = p.full_tensor() if isinstance(p, DTensor) else p  # BUG 1
            lo, hi = torch.aminmax(full.detach().float())
            self.write(f"step {step} {name} min {lo.item():.4f} max {hi.item():.4f} std {full.float().std().item():.4f}")


def dist_mean(x, mesh):
    x = x.detach().clone()
    dist.all_reduce(x, op=dist.ReduceOp.AVG, group=mesh.get_group())
    return x.item()


def count_params(model):
    """Global and local numbers; shapes only."""
    total = sum(p.numel() for p in model.parameters())
    local = sum(p.to_local().numel() if isinstance(p, DTensor) else p.numel() for p in model.parameters())
    return total, local


def local_nonfinite(model):
    return sum(int((~torch.isfinite(p.grad.to_local())).sum()) for p in model.parameters() if isinstance(p.grad, DTensor))


def profiler(enabled, folder):
    if not enabled:
        return nullcontext()
    return torch.profiler.profile(schedule=torch.profiler.schedule(wait=5, warmup=2, active=3, repeat=1),
                                  on_trace_ready=torch.profiler.tensorboard_trace_handler(folder))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tp", type=int, default=2)
    p.add_argument("--dim", type=int, default=2048)
    p.add_argument("--layers", type=int, default=16)
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--seq", type=int, default=2048)
    p.add_argument("--steps", type=int, default=10000)
    p.add_argument("--log-every", type=int, default=10)
    p.add_argument("--histogram-every", type=int, default=1000)
    p.add_argument("--profile", action="store_true")
    args = p.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    mesh = init_device_mesh("cuda", (dist.get_world_size() // args.tp, args.tp), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(42)
    model = parallelize(Transformer(args.vocab, args.dim, args.layers).to(device), mesh)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=False)
    if rank == 0:
        print("parameters (global, local): %d, %d" % count_params(model))
    logger = MetricLogger(args.log_every, args.histogram_every, "train.log")
    gen = torch.Generator().manual_seed(mesh.get_local_rank("dp"))

    with profiler(args.profile and rank == 0, "trace") as prof:
        for step in range(1, args.steps + 1):
            ids = torch.randint(0, args.vocab, (args.batch, args.seq + 1), generator=gen).to(device)
            loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            loss.backward()
            norms = [torch.linalg.vector_norm(q.grad.full_tensor().float() if isinstance(q.grad, DTensor) else q.grad.float())
                     for q in model.parameters()]
            norm = torch.linalg.vector_norm(torch.stack(norms))
            scale = (1.0 / (norm + 1e-6)).clamp(max=1.0).item()
            bad = torch.tensor([local_nonfinite(model)], device=device)
            dist.all_reduce(bad)
            if bad.item() > 0:
                opt.zero_grad()
                continue
            for q in model.parameters():
                q.grad.mul_(scale)
            opt.step()
            opt.zero_grad()
            logger.tokens += ids.numel()
            if prof is not None:
                prof.step()
            if logger.should_log(step):
                mean = dist_mean(loss, mesh["dp"])
                if rank == 0:
                    logger.log(step, mean, norm.item())
            if rank == 0 and step % logger.histogram_every == 0:  # BUG 1
                logger.histograms(step, model)  # BUG 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
