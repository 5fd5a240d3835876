"""Pack a tokenized corpus into fixed-length samples for Megatron-like training, in parallel with torchrun (gloo)."""
import argparse
import json
import os
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


class Env:
    def __init__(self):
        dist.init_process_group("gloo")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    @property
    def main(self):
        return self.rank == 0

    def bcast(self, obj):
        box = [obj]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def gather(self, obj):
        out = [None] * self.world if self.main else None
        dist.gather_object(obj, out, dst=0)
        return out

    def sum(self, *values):
        t = torch.tensor(values, dtype=torch.int64)
        dist.all_reduce(t)
        return t.tolist()


def atomic_write(path, text):
    tmp = path.with_name(path.name + ".tmp")
    tmp.write_text(text)
    os.replace(tmp, path)


def word_counts(files):
    c = Counter()
    for f in files:
        with open(f, encoding="utf-8", errors="ignore") as fh:
            for line in fh:
                c.update(line.split())
    return c


def build_vocab(env, files, size):
    parts = env.gather(word_counts(files).most_common(5 * size))
    vocab = None
    if env.main:
        total = Counter()
        for part in parts:
            total.update(dict(part))
        ranked = sorted(total.items(), key=lambda kv: (-kv[1], kv[0]))[: size - 2]
        vocab = {"<unk>": 0, "<eod>": 1, **{w: i + 2 for i, (w, _) in enumerate(ranked)}}
    return env.bcast(vocab)


def pack(files, vocab, seq_len):
    """Documents are concatenated; the rest below seq_len is dropped."""
    buf, rows, docs = [], [], 0
    for f in files:
        with open(f, encoding="utf-8", errors="ignore") as fh:
            for line in fh:
                buf.extend(vocab.get(w, 0) for w in line.split())
                buf.append(1)
                docs += 1
                while len(buf) >= seq_len:
                    rows.append(buf[:seq_len])
                    buf = buf[seq_len:]
    return np.asarray(rows, dtype=np.int32).reshape(-1, seq_len), docs


def load_index(path):
    return json.loads(path.read_text()) if path.exists() else {"parts": []}


def register_part(out, name, n):
    """Adds one part to index.json."""
    path = out / "index.json"
    index = load_index(path)  # BUG 1
    index["parts"].append({"file": name, "rows": n})
    index["parts"].sort(key=lambda p: p["file"])
    atomic_write(path, json.dumps(index, indent=1))  # BUG 1


def write_parts(env, out, rows, per_file):
    n_files = 0
    for k, s in enumerate(range(0, len(rows), per_file)):
        chunk = rows[s:s + per_file]
        name = f"part-{env.rank:04d}-{k:04d}.npy"
        np.save(out / name, chunk)
        register_part(out, name, len(chunk))
        n_files += 1
    return n_files


def write_meta(env, out, args, vocab, rows, docs):
    total_rows, total_docs = env.sum(rows, docs)
    if env.main:
        atomic_write(out / "vocab.json", json.dumps(vocab))
        atomic_write(out / "meta.json", json.dumps({"rows": total_rows, "docs": total_docs, "seq_len": args.seq_len}))
    dist.barrier()


def shuffle_plan(env, out, seed):
    """Global sample order; every rank checks that it can open what the index names."""
    index = load_index(out / "index.json")
    bad = sum(1 for p in index["parts"][env.rank::env.world]
              if np.load(out / p["file"], mmap_mode="r").shape[0] != p["rows"])
    (bad,) = env.sum(bad)
    if bad:
        raise RuntimeError(f"{bad} parts do not match the index")
    if env.main:
        n = sum(p["rows"] for p in index["parts"])
        np.save(out / "order.npy", np.random.default_rng(seed).permutation(n))
    dist.barrier()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--input", type=Path, required=True)
    p.add_argument("--output", type=Path, required=True)
    p.add_argument("--vocab-size", type=int, default=50_000)
    p.add_argument("--seq-len", type=int, default=2048)
    p.add_argument("--rows-per-file", type=int, default=4096)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--overwrite", action="store_true")
    args = p.parse_args()
    env = Env()

    exists = env.bcast(args.output.exists())
    if exists and not args.overwrite:
        raise SystemExit(f"{args.output} exists")
    if env.main:
        shutil.rmtree(args.output, ignore_errors=True)
        args.output.mkdir(parents=True)
    dist.barrier()

    files = env.bcast(sorted(args.input.glob("*.txt")) if env.main else None)
    mine = files[env.rank::env.world]
    vocab = build_vocab(env, mine, args.vocab_size)
    rows, docs = pack(mine, vocab, args.seq_len)
    n = write_parts(env, args.output, rows, args.rows_per_file)
    print(f"rank {env.rank}: {docs} documents, {len(rows)} rows, {n} files", flush=True)
    write_meta(env, args.output, args, vocab, len(rows), docs)
    shuffle_plan(env, args.output, args.seed)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
