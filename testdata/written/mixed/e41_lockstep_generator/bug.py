"""Rejection sampling for SFT data: generate, verify, keep the right ones, until every rank has its quota."""
import argparse
import itertools
import json
import os
import re
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def rank():
    return dist.get_rank()


def world():
    return dist.get_world_size()


def vote(value, op, device):
    t = torch.tensor([int(value)], device=device)
    dist.all_reduce(t, op=op)
    return int(t.item())


class ByteLM(nn.Module):
    def __init__(self, dim=1024, layers=4):
        super().__init__()
        self.emb = nn.Embedding(257, dim)
        self.rnn = nn.ModuleList([nn.GRU(dim, dim, batch_first=True) for _ in range(layers)])
        self.head = nn.Linear(dim, 257)

    def forward(self, ids):
        h = self.emb(ids)
        for r in self.rnn:
            h = h + r(h)[0]
        return self.head(h)


def read_prompts(path):
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    return rows[rank()::world()]


def batched(rows, n):
    it = iter(rows)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


def lockstep(batches, filler, device):
    """Yields until all ranks have run out; a rank that is out early gets filler batches."""
    it = iter(batches)
    while True:
        batch = next(it, None)
        alive = vote(batch is not None, dist.ReduceOp.MAX, device)  # BUG 1
        if not alive:
            return
        yield (batch, True) if batch is not None else (filler, False)


@torch.no_grad()
def generate(model, prompts, max_new, temperature, device):
    """Each new token is one forward of the sharded model, max_new of them on every rank."""
    width = max(len(p.encode()) for p in prompts)
    ids = torch.full((len(prompts), width), 256, device=device)
    for i, p in enumerate(prompts):
        b = torch.tensor(list(p.encode()), device=device)
        ids[i, width - len(b):] = b
    for _ in range(max_new):
        logits = model(ids)[:, -1, :256].float() / temperature
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], 1)
    return [bytes(row[width:].tolist()).decode(errors="replace") for row in ids]


def is_right(text, answer):
    m = re.search(r"answer is (-?\d+)", text)
    return m is not None and m.group(1) == str(answer)


def sample_until(model, rows, args, device):
    kept, tried = [], 0
    filler = [{"question": "1+1=", "answer": 2}] * args.batch
    for batch, real in lockstep(batched(rows, args.batch), filler, device):
        texts = generate(model, [r["question"] for r in batch], args.max_new, args.temperature, device)
        if not real:
            continue
        tried += len(batch)
        kept.extend({**r, "response": t} for r, t in zip(batch, texts) if is_right(t, r["answer"]))
        if len(kept) >= args.quota:  # BUG 1
            break  # BUG 1
    return kept[:args.quota], tried


def warm_up(model, args, device, seconds_ok=5):
    """Generate until the last rank says that it is warm."""
    rounds = 0
    while True:
        generate(model, ["warm up"] * 2, 4, 1.0, device)
        rounds += 1
        ready = rounds >= seconds_ok or torch.cuda.memory_reserved(device) > 2 ** 30
        if vote(ready, dist.ReduceOp.MIN, device):
            return rounds


def write(kept, folder):
    part = Path(folder) / f"part-{rank():05d}.jsonl"
    with open(part, "w") as f:
        for row in kept:
            f.write(json.dumps(row) + "\n")
    dist.barrier()
    if rank() == 0:
        with open(Path(folder) / "all.jsonl", "w") as out:
            for p in sorted(Path(folder).glob("part-*.jsonl")):
                out.write(p.read_text())
    dist.barrier()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--prompts", default="/shared/gsm.jsonl")
    p.add_argument("--weights", default="/shared/bytelm.pt")
    p.add_argument("--out", default="/shared/rft")
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--max-new", type=int, default=128)
    p.add_argument("--quota", type=int, default=1000)
    p.add_argument("--temperature", type=float, default=0.8)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    if rank() == 0:
        os.makedirs(args.out, exist_ok=True)
    dist.barrier()

    net = ByteLM()
    net.load_state_dict(torch.load(args.weights, map_location="cpu"))
    model = FSDP(net, device_id=device).eval()
    rounds = warm_up(model, args, device)
    torch.manual_seed(rank())
    kept, tried = sample_until(model, read_prompts(args.prompts), args, device)
    total = torch.tensor([len(kept), tried, rounds], device=device)
    dist.all_reduce(total)
    if rank() == 0:
        print(f"kept {int(total[0])} of {int(total[1])}")
    write(kept, args.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
