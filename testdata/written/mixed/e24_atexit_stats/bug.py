"""Decontaminate a corpus against test sets: ranks take files in turn, statistics are merged at the end."""
import argparse
import atexit
import gzip
import hashlib
import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist


def rank():
    return dist.get_rank()


def world():
    return dist.get_world_size()


def say(msg):
    if rank() == 0:
        print(msg, file=sys.stderr, flush=True)


def ngrams(text, n=13):
    words = text.lower().split()
    for i in range(len(words) - n + 1):
        yield hashlib.blake2b(" ".join(words[i:i + n]).encode(), digest_size=8).digest()


def build_index(paths):
    """The test sets are small; rank 0 reads, the others receive the set."""
    box, err = [None], [None]
    if rank() == 0:
        try:
            index = set()
            for path in paths:
                for line in open(path):
                    index.update(ngrams(json.loads(line)["text"]))
            box[0] = index
        except (OSError, ValueError, KeyError) as e:
            err[0] = repr(e)
    dist.broadcast_object_list(err, src=0)
    if err[0]:
        raise SystemExit(f"test sets: {err[0]}")
    dist.broadcast_object_list(box, src=0)
    return box[0]


class Stats:
    FIELDS = ("files", "docs", "dropped", "bytes", "bad_lines")

    def __init__(self):
        self.values = dict.fromkeys(self.FIELDS, 0)
        self.merged = None
        atexit.register(self.finalize)  # BUG 1

    def add(self, **kw):
        for k, v in kw.items():
            self.values[k] += v

    def finalize(self):
        if self.merged is not None:
            return
        t = torch.tensor([self.values[k] for k in self.FIELDS], dtype=torch.int64)
        dist.all_reduce(t)  # BUG 1
        self.merged = dict(zip(self.FIELDS, t.tolist()))
        say(json.dumps(self.merged))
        dist.destroy_process_group()


def read_lines(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as f:
        yield from f


def clean_file(src, dst, index, stats, threshold):
    tmp = dst.with_name(dst.name + f".{rank()}.tmp")
    docs = dropped = bad = 0
    with gzip.open(tmp, "wt") as out:
        for line in read_lines(src):
            try:
                text = json.loads(line)["text"]
            except (ValueError, KeyError):
                bad += 1
                continue
            docs += 1
            grams = list(ngrams(text))
            if grams and sum(g in index for g in grams) / len(grams) > threshold:
                dropped += 1
                continue
            out.write(json.dumps({"text": text}) + "\n")
    os.replace(tmp, dst)
    stats.add(files=1, docs=docs, dropped=dropped, bytes=src.stat().st_size, bad_lines=bad)


def assign(files):
    """Greedy by size, the same on each rank since the sizes come from rank 0."""
    box = [[(f, f.stat().st_size) for f in files] if rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    load, parts = [0] * world(), [[] for _ in range(world())]
    for f, s in sorted(box[0], key=lambda p: (-p[1], str(p[0]))):
        i = load.index(min(load))
        load[i] += s
        parts[i].append(f)
    return parts[rank()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--input", type=Path, required=True)
    p.add_argument("--output", type=Path, required=True)
    p.add_argument("--tests", nargs="+", required=True)
    p.add_argument("--threshold", type=float, default=0.2)
    args = p.parse_args()
    dist.init_process_group("gloo")

    index = build_index(args.tests)
    if rank() == 0:
        args.output.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    mine = assign(sorted(args.input.glob("*.jsonl*")))
    say(f"{len(index)} test n-grams, rank 0 has {len(mine)} files")
    if not mine:  # BUG 1
        sys.exit(0)  # BUG 1

    stats = Stats()
    for i, src in enumerate(mine):
        dst = args.output / (src.name if src.suffix == ".gz" else src.name + ".gz")
        if dst.exists():
            continue
        clean_file(src, dst, index, stats, args.threshold)
        say(f"{i + 1}/{len(mine)} {src.name}")


if __name__ == "__main__":
    main()
