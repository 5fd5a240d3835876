"""Tokenize a corpus into a memory mapped file, then train from it. Launch with torchrun."""
import argparse
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def get_rank():
    return dist.get_rank() if dist.is_initialized() else 0


def is_main_process():
    return get_rank() == 0


def log(msg):
    if is_main_process():
        print(msg, flush=True)


def fingerprint(args):
    blob = json.dumps({"src": args.source, "vocab": args.vocab, "eos": args.eos}, sort_keys=True)
    return hashlib.sha1(blob.encode()).hexdigest()[:12]


def tokenize(line, vocab):
    return [int(hashlib.md5(w.encode()).hexdigest(), 16) % vocab for w in line.split()]


def write_bin(source, dst, args):
    tmp = dst.with_suffix(".tmp")
    total = 0
    with open(tmp, "wb") as out:
        for path in sorted(Path(source).glob("*.txt")):
            for line in open(path, encoding="utf-8", errors="ignore"):
                ids = tokenize(line, args.vocab) + [args.eos]
                out.write(np.asarray(ids, dtype=np.uint16).tobytes())
                total += len(ids)
    os.replace(tmp, dst)
    with open(dst.with_suffix(".json"), "w") as f:
        json.dump({"tokens": total, "vocab": args.vocab}, f)
    return total


def prepare_split(args, split):
    """Returns the memmap of a split; rank 0 builds it in the shared cache when missing."""
    dst = Path(args.cache) / f"{split}-{fingerprint(args)}.bin"
    if is_main_process() and not dst.exists():
        dst.parent.mkdir(parents=True, exist_ok=True)
        n = write_bin(os.path.join(args.source, split), dst, args)
        log(f"{split}: wrote {n} tokens to {dst}")
    return np.memmap(dst, dtype=np.uint16, mode="r")  # BUG 1


def load_vocab_stats(args):
    path = Path(args.cache) / f"stats-{fingerprint(args)}.json"
    if is_main_process() and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"vocab": args.vocab, "eos": args.eos}))
    dist.barrier()
    return json.loads(path.read_text())


def batches(data, args, device):
    g = np.random.default_rng(args.seed + get_rank())
    for _ in range(args.steps):
        start = g.integers(0, len(data) - args.seq - 1, size=args.batch)
        x = np.stack([data[s:s + args.seq + 1].astype(np.int64) for s in start])
        yield torch.from_numpy(x).to(device)


@torch.no_grad()
def evaluate(model, data, args, device):
    model.eval()
    total = torch.zeros(2, device=device)
    span = args.seq + 1
    chunk = len(data) // span
    for i in range(get_rank(), min(chunk, args.eval_chunks), dist.get_world_size()):
        x = torch.from_numpy(data[i * span:(i + 1) * span].astype(np.int64))[None].to(device)
        logits = model.module(x[:, :-1])
        total[0] += F.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
        total[1] += 1
    dist.all_reduce(total)
    model.train()
    return (total[0] / total[1].clamp(min=1)).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--source", default="/shared/corpus")
    p.add_argument("--cache", default="/shared/cache")
    p.add_argument("--vocab", type=int, default=50000)
    p.add_argument("--eos", type=int, default=0)
    p.add_argument("--seq", type=int, default=512)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--steps", type=int, default=5000)
    p.add_argument("--eval-chunks", type=int, default=256)
    p.add_argument("--eval-every", type=int, default=500)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    stats = load_vocab_stats(args)
    train, valid = prepare_split(args, "train"), prepare_split(args, "valid")
    log(f"vocab {stats['vocab']}, {len(train)} train tokens, {len(valid)} valid tokens")

    model = nn.Sequential(nn.Embedding(args.vocab, 256), nn.Linear(256, 1024), nn.GELU(),
                          nn.Linear(1024, args.vocab)).to(device)
    model = DDP(model, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)

    for step, x in enumerate(batches(train, args, device), 1):
        logits = model(x[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % args.eval_every == 0:
            val = evaluate(model, valid, args, device)
            log(f"step {step}: valid loss {val:.4f}")
            if is_main_process():
                torch.save(model.module.state_dict(), os.path.join(args.cache, "model.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
