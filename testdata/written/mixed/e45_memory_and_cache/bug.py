"""RLHF critic training on variable length sequences, with padding to the longest over all ranks (for the FSDP-sharded
critic and a fixed-shape compiled kernel)."""
import argparse
import functools
import gc
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard


@dataclass
class Sample:
    ids: torch.Tensor
    values: torch.Tensor


def round_up(n, m=64):
    return (n + m - 1) // m * m


@functools.lru_cache(maxsize=256)  # BUG 1
def longest_over_ranks(n):
    """Common padded length for a local length n."""
    t = torch.tensor([n], device="cuda")
    dist.all_reduce(t, op=dist.ReduceOp.MAX)  # BUG 1
    return round_up(int(t.item()))


@functools.lru_cache(maxsize=None)
def position_table(n, dim):
    pos = torch.arange(n, device="cuda")[:, None] / 10000 ** (torch.arange(0, dim, 2, device="cuda") / dim)
    return torch.cat([pos.sin(), pos.cos()], 1)


@functools.lru_cache(maxsize=1)
def world_layout():
    """Host name of each rank; the first call is in main, on all ranks."""
    out = [None] * dist.get_world_size()
    dist.all_gather_object(out, os.uname().nodename)
    return tuple(out)


class Critic(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.dim = dim
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(dim, 8, 4 * dim, dropout=0.0, batch_first=True)
                                     for _ in range(layers)])
        self.v = nn.Linear(dim, 1)

    def forward(self, ids):
        x = self.emb(ids) + position_table(ids.shape[1], self.dim)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=ids == 0)
        return self.v(x).squeeze(-1)


def collate(samples):
    width = longest_over_ranks(max(len(s.ids) for s in samples))
    ids = torch.zeros(len(samples), width, dtype=torch.long)
    values, mask = torch.zeros(len(samples), width), torch.zeros(len(samples), width)
    for i, s in enumerate(samples):
        ids[i, : len(s.ids)] = s.ids
        values[i, : len(s.ids)] = s.values
        mask[i, : len(s.ids)] = 1
    return ids.cuda(), values.cuda(), mask.cuda()


def rollouts(args, gen):
    for _ in range(args.steps):
        batch = []
        for _ in range(args.batch):
            n = int(torch.randint(32, args.max_len, (1,), generator=gen))
            batch.append(Sample(torch.randint(1, args.vocab, (n,), generator=gen), torch.randn(n, generator=gen)))
        yield batch


def relieve_memory(limit):
    """Gives cached blocks back near the limit, so that NCCL can still allocate."""
    reserved = torch.cuda.memory_reserved() / torch.cuda.get_device_properties(0).total_memory
    if reserved > limit:  # BUG 2
        gc.collect()
        torch.cuda.empty_cache()
        dist.barrier()  # BUG 2


def flush_every(step, every):
    if step % every == 0:
        gc.collect()
        torch.cuda.empty_cache()
        dist.barrier()


def log_memory(step):
    """Local note, no communication."""
    used = torch.cuda.memory_allocated() / 2 ** 30
    if used > 60:
        print(f"rank {dist.get_rank()} step {step}: {used:.1f} GB in use", flush=True)


def value_loss(pred, target, mask, clip):
    err = (pred - target).clamp(-clip, clip)
    n = mask.sum()
    total = n.detach().clone()
    dist.all_reduce(total)
    return (err ** 2 * mask).sum() * dist.get_world_size() / total.clamp(min=1), n


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=32000)
    p.add_argument("--dim", type=int, default=1024)
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--max-len", type=int, default=1024)
    p.add_argument("--steps", type=int, default=5000)
    p.add_argument("--memory-limit", type=float, default=0.92)
    p.add_argument("--clip", type=float, default=5.0)
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    nodes = world_layout()
    if dist.get_rank() == 0:
        print(f"{len(set(nodes))} nodes")
    torch.manual_seed(0)
    model = Critic(args.vocab, args.dim, args.layers).cuda()
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=9e-6)
    gen = torch.Generator().manual_seed(1 + dist.get_rank())

    for step, batch in enumerate(rollouts(args, gen), 1):
        ids, values, mask = collate(batch)
        loss, n = value_loss(model(ids), values, mask, args.clip)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        relieve_memory(args.memory_limit)
        flush_every(step, 500)
        log_memory(step)
        if step % 20 == 0:
            stat = torch.stack([loss.detach(), n])
            dist.all_reduce(stat, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(f"step {step} loss {stat[0].item():.4f} tokens/rank {stat[1].item():.0f} on {world_layout()[0]}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
