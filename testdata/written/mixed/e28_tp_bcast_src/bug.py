"""Tensor-parallel training with a 2-D mesh; only the first rank of each TP group reads data."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh


class _CopyToTP(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        dist.all_reduce(g, group=ctx.group)
        return g, None


class _ReduceFromTP(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        x = x.contiguous()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, None


class ParallelMLP(nn.Module):
    def __init__(self, dim, hidden, group):
        super().__init__()
        n = dist.get_world_size(group)
        self.group = group
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, hidden // n)
        self.down = nn.Linear(hidden // n, dim, bias=False)

    def forward(self, x):
        h = _CopyToTP.apply(self.norm(x), self.group)
        return x + _ReduceFromTP.apply(self.down(F.gelu(self.up(h))), self.group)


class Model(nn.Module):
    def __init__(self, vocab, dim, layers, group):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([ParallelMLP(dim, 4 * dim, group) for _ in range(layers)])
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Stream:
    """Random crops of a token file, one stream per data parallel rank."""

    def __init__(self, path, dp_rank, batch, seq):
        size = os.path.getsize(path) // 2
        self.data = torch.from_file(path, shared=False, size=size, dtype=torch.int16)
        self.gen = torch.Generator().manual_seed(1234 + dp_rank)
        self.batch, self.seq = batch, seq

    def __next__(self):
        start = torch.randint(0, len(self.data) - self.seq - 1, (self.batch,), generator=self.gen)
        return torch.stack([self.data[s:s + self.seq + 1].long() & 0xFFFF for s in start])


def get_batch(stream, args, tp_group, device):
    """The reader sends its batch to the rest of its TP group."""
    if stream is not None:
        tokens = next(stream).to(device)
    else:
        tokens = torch.empty(args.batch, args.seq + 1, dtype=torch.long, device=device)
    dist.broadcast(tokens, src=0, group=tp_group)  # BUG 1
    return tokens[:, :-1], tokens[:, 1:]


def broadcast_config(args, tp_group):
    """Overrides found by the reader (first rank of the group) hold for the group."""
    box = [None]
    if dist.get_rank(tp_group) == 0:
        box[0] = {"seq": int(os.environ.get("SEQ_LEN", args.seq))}
    dist.broadcast_object_list(box, src=dist.get_global_rank(tp_group, 0), group=tp_group)
    for k, v in box[0].items():
        setattr(args, k, v)


@torch.no_grad()
def sync_replicated(model, tp_group):
    """Norms, embedding and head are replicated over TP: start from the same values."""
    src = dist.get_process_group_ranks(tp_group)[0]
    for name, p in model.named_parameters():
        if "up." in name or "down." in name:
            continue
        dist.broadcast(p, src=src, group=tp_group)


@torch.no_grad()
def sync_over_dp(model, dp_group):
    src = dist.get_process_group_ranks(dp_group)[0]
    for p in model.parameters():
        dist.broadcast(p, src=src, group=dp_group)


@torch.no_grad()
def reduce_grads(model, dp_group):
    n = dist.get_world_size(dp_group)
    for p in model.parameters():
        dist.all_reduce(p.grad, group=dp_group)
        p.grad.div_(n)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="/shared/tokens.bin")
    p.add_argument("--tp", type=int, default=4)
    p.add_argument("--dim", type=int, default=1024)
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--vocab", type=int, default=65536)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--seq", type=int, default=1024)
    p.add_argument("--steps", type=int, default=10000)
    args = p.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size() // args.tp, args.tp), mesh_dim_names=("dp", "tp"))
    tp_group, dp_group = mesh.get_group("tp"), mesh.get_group("dp")

    broadcast_config(args, tp_group)
    model = Model(args.vocab, args.dim, args.layers, tp_group).to(device)
    sync_replicated(model, tp_group)
    sync_over_dp(model, dp_group)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    reader = mesh.get_local_rank("tp") == 0
    stream = Stream(args.data, mesh.get_local_rank("dp"), args.batch, args.seq) if reader else None

    for step in range(args.steps):
        x, y = get_batch(stream, args, tp_group, device)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        reduce_grads(model, dp_group)
        opt.step()
        if step % 20 == 0:
            avg = loss.detach().clone()
            dist.all_reduce(avg, op=dist.ReduceOp.AVG, group=dp_group)
            if dist.get_rank() == 0:
                print(f"step {step} loss {avg.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
