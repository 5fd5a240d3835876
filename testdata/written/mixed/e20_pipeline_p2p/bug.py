"""1F1B pipeline training with explicit P2P, one stage per rank."""
import argparse
import os
from collections import deque

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class StageModule(nn.Module):
    def __init__(self, rank, world, vocab, dim, layers):
        super().__init__()
        self.first, self.last = rank == 0, rank == world - 1
        if self.first:
            self.emb = nn.Embedding(vocab, dim)
        self.body = nn.ModuleList([nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
                                   for _ in range(layers)])
        if self.last:
            self.head = nn.Linear(dim, vocab)

    def forward(self, x):
        if self.first:
            x = self.emb(x)
        for b in self.body:
            x = x + b(x)
        return self.head(x) if self.last else x


class P2P:
    def __init__(self, shape, device, dtype=torch.float32):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.shape, self.device, self.dtype = shape, device, dtype

    @property
    def is_first(self):
        return self.rank == 0

    @property
    def is_last(self):
        return self.rank == self.world - 1

    def _buf(self):
        return torch.empty(self.shape, device=self.device, dtype=self.dtype)

    @staticmethod
    def _run(ops):
        for req in dist.batch_isend_irecv(ops):
            req.wait()

    def recv_forward(self):
        if self.is_first:
            return None
        x = self._buf()
        self._run([dist.P2POp(dist.irecv, x, self.rank - 1)])
        return x.requires_grad_()

    def send_forward(self, y):
        if not self.is_last:
            self._run([dist.P2POp(dist.isend, y.detach().contiguous(), self.rank + 1)])

    def recv_backward(self):
        if self.is_last:
            return None
        g = self._buf()
        self._run([dist.P2POp(dist.irecv, g, self.rank + 1)])  # BUG 1
        return g

    def send_backward(self, g):
        if not self.is_first:
            self._run([dist.P2POp(dist.isend, g.contiguous(), self.rank - 1)])

    def send_forward_recv_backward(self, y):
        if self.is_last:
            return None
        g = self._buf()
        self._run([dist.P2POp(dist.isend, y.detach().contiguous(), self.rank + 1),
                   dist.P2POp(dist.irecv, g, self.rank + 1)])
        return g

    def send_backward_recv_forward(self, g):
        if self.is_first:
            return None
        x = self._buf()
        self._run([dist.P2POp(dist.isend, g.contiguous(), self.rank - 1),
                   dist.P2POp(dist.irecv, x, self.rank - 1)])
        return x.requires_grad_()


class Schedule:
    def __init__(self, model, comm, n_micro):
        self.model, self.comm, self.n_micro = model, comm, n_micro
        self.losses = []

    def forward(self, x, ids, labels):
        y = self.model(ids if self.comm.is_first else x)
        if self.comm.is_last:
            y = F.cross_entropy(y.flatten(0, 1), labels.flatten()) / self.n_micro
            self.losses.append(y.detach())
        return y

    def backward(self, x, y, g):
        if self.comm.is_last:
            y.backward()
        else:
            y.backward(g)
        return None if x is None else x.grad

    def run(self, micro_batches):
        c, it = self.comm, iter(micro_batches)
        warmup = min(c.world - c.rank - 1, self.n_micro)
        steady = self.n_micro - warmup
        queue, self.losses = deque(), []

        for _ in range(warmup):
            x = c.recv_forward()
            y = self.forward(x, *next(it))
            c.send_forward(y)
            queue.append((x, y))

        x = c.recv_forward() if steady > 0 else None
        for i in range(steady):
            y = self.forward(x, *next(it))
            g = c.send_forward_recv_backward(y)
            queue.append((x, y))
            x0, y0 = queue.popleft()
            gx = self.backward(x0, y0, g)
            if i == steady - 1:
                c.send_backward(gx)
            else:
                x = c.send_backward_recv_forward(gx)

        for _ in range(warmup):
            x0, y0 = queue.popleft()
            g = c.recv_backward()
            gx = self.backward(x0, y0, g)
            if gx is not None and torch.count_nonzero(gx) > 0:  # BUG 1
                c.send_backward(gx)  # BUG 1
        return self.losses


def global_grad_norm(model):
    sq = sum((p.grad.float() ** 2).sum() for p in model.parameters() if p.grad is not None)
    sq = torch.as_tensor(sq, device="cuda", dtype=torch.float32).reshape(1)
    dist.all_reduce(sq)
    return sq.sqrt().item()


def make_micro_batches(args, gen, device):
    ids = torch.randint(0, args.vocab, (args.micro, args.batch, args.seq + 1), generator=gen)
    return [(m[:, :-1].to(device), m[:, 1:].to(device)) for m in ids]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--dim", type=int, default=1024)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--micro", type=int, default=16)
    p.add_argument("--batch", type=int, default=2)
    p.add_argument("--seq", type=int, default=512)
    p.add_argument("--steps", type=int, default=1000)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = StageModule(dist.get_rank(), dist.get_world_size(), args.vocab, args.dim, args.layers).to(device)
    comm = P2P((args.batch, args.seq, args.dim), device)
    schedule = Schedule(model, comm, args.micro)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    gen = torch.Generator().manual_seed(0)
    for step in range(args.steps):
        opt.zero_grad()
        losses = schedule.run(make_micro_batches(args, gen, device))
        norm = global_grad_norm(model)
        for p_ in model.parameters():
            p_.grad.mul_(min(1.0, 1.0 / (norm + 1e-6)))
        opt.step()
        if comm.is_last and step % 10 == 0:
            print(f"step {step} loss {sum(losses).item():.4f} norm {norm:.2f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
