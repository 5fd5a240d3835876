"""Distributed feature extraction over a directory of parquet shards, with mpi4py.

mpirun -n 64 python main.py --input /shared/shards --output /shared/features
"""
import argparse
import glob
import json
import logging
import os
import time

import numpy as np
import torch
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()
ROOT = 0

logging.basicConfig(level=logging.INFO, format=f"[{rank}] %(message)s")
log = logging.getLogger(__name__)


class Encoder(torch.nn.Module):
    def __init__(self, dim_in=512, dim_out=128):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(dim_in, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, dim_out))

    def forward(self, x):
        return self.net(x)


def split_evenly(items, n):
    return [items[i::n] for i in range(n)]


def list_work(args):
    """Root lists the shards, everyone receives a part (possibly empty)."""
    parts = None
    if rank == ROOT:
        shards = sorted(glob.glob(os.path.join(args.input, "*.npy")))
        done = {os.path.basename(p) for p in glob.glob(os.path.join(args.output, "*.npy"))}
        todo = [s for s in shards if os.path.basename(s) not in done]
        log.info("%d of %d shards to do", len(todo), len(shards))
        parts = split_evenly(todo, size)
    return comm.scatter(parts, root=ROOT)


def load_weights(args):
    """Weights are read once and broadcast, so that the file server is left alone."""
    model = Encoder()
    err = None
    if rank == ROOT:
        try:
            model.load_state_dict(torch.load(args.weights, map_location="cpu"))
        except (OSError, RuntimeError) as e:
            err = f"{type(e).__name__}: {e}"
    err = comm.bcast(err, root=ROOT)
    if err is not None:
        raise SystemExit(f"cannot load {args.weights}: {err}")
    for p in model.state_dict().values():
        buf = p.numpy()
        comm.Bcast(buf, root=ROOT)
    return model.eval()


def read_shard(path, attempts=3):
    for i in range(attempts):
        try:
            return np.load(path)
        except (OSError, ValueError) as e:
            log.warning("attempt %d on %s: %s", i, path, e)
            time.sleep(2 ** i)
    return None


@torch.inference_mode()
def encode(model, x, batch=4096):
    return np.concatenate([model(torch.from_numpy(x[i:i + batch])).numpy() for i in range(0, len(x), batch)])


def global_moments(total, sq, n):
    buf = np.concatenate([total, sq, [n]])
    out = np.empty_like(buf)
    comm.Allreduce(buf, out, op=MPI.SUM)
    d = len(total)
    cnt = max(out[-1], 1.0)
    mean = out[:d] / cnt
    return mean, np.sqrt(np.maximum(out[d:2 * d] / cnt - mean ** 2, 1e-12)), int(out[-1])


def process(args, model, shards):
    total, sq, n = np.zeros(128), np.zeros(128), 0
    failed = []
    for path in shards:
        x = read_shard(path)
        if x is None or len(x) == 0:
            failed.append(path)
            continue
        y = encode(model, x.astype(np.float32))
        np.save(os.path.join(args.output, os.path.basename(path)), y)
        total += y.sum(0)
        sq += (y ** 2).sum(0)
        n += len(y)
    if len(failed) > args.max_failed:  # BUG 1
        raise RuntimeError(f"rank {rank}: {len(failed)} shards failed, first {failed[0]}")  # BUG 1
    return total, sq, n, failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--input", required=True)
    p.add_argument("--output", required=True)
    p.add_argument("--weights", default="/shared/encoder.pt")
    p.add_argument("--max-failed", type=int, default=5)
    args = p.parse_args()

    if rank == ROOT:
        os.makedirs(args.output, exist_ok=True)
    comm.Barrier()

    shards = list_work(args)
    model = load_weights(args)
    t0 = MPI.Wtime()
    total, sq, n, failed = process(args, model, shards)
    mean, std, count = global_moments(total, sq, n)  # BUG 1
    failures = comm.gather(failed, root=ROOT)
    slowest = comm.reduce(MPI.Wtime() - t0, op=MPI.MAX, root=ROOT)

    if rank == ROOT:
        names = [f for part in failures for f in part]
        with open(os.path.join(args.output, "stats.json"), "w") as f:
            json.dump({"mean": mean.tolist(), "std": std.tolist(), "count": count, "failed": names}, f)
        log.info("%d rows, %d failed shards, %.1fs", count, len(names), slowest)
    if comm.allreduce(len(failed), op=MPI.SUM) > 0:
        raise SystemExit(3)


if __name__ == "__main__":
    main()
