import argparse
import os

import numpy as np
import torch
import torch.distributed as dist


def shard_features(path, rank, world, device):
    feats = np.load(path, mmap_mode="r")
    per = len(feats) // world
    block = np.ascontiguousarray(feats[rank * per:(rank + 1) * per])
    return torch.from_numpy(block).float().to(device)


class DistributedKMeans:
    """Lloyd iterations over features that are spread over the ranks."""

    def __init__(self, k, tol=1e-4, chunk=65536):
        self.k = k
        self.tol = tol
        self.chunk = chunk
        self.centroids = None
        self.history = []

    def _init_centroids(self, x):
        first = x[torch.randperm(len(x), device=x.device)[: self.k]].clone()
        dist.broadcast(first, src=0)
        self.centroids = first

    def _assign(self, x):
        labels, dists = [], []
        for part in x.split(self.chunk):
            d, idx = torch.cdist(part, self.centroids).min(dim=1)
            labels.append(idx)
            dists.append(d)
        return torch.cat(labels), torch.cat(dists)

    def _update(self, x, labels):
        sums = torch.zeros_like(self.centroids).index_add_(0, labels, x)
        counts = torch.zeros(self.k, device=x.device).index_add_(0, labels, torch.ones_like(labels, dtype=torch.float))
        dist.all_reduce(sums)
        dist.all_reduce(counts)
        alive = counts > 0
        self.centroids[alive] = sums[alive] / counts[alive, None]

    def fit(self, x):
        self._init_centroids(x)
        previous, improvement = float("inf"), float("inf")
        while improvement > self.tol:
            labels, dists = self._assign(x)
            mean_sq = dists.square().mean()
            dist.all_reduce(mean_sq, op=dist.ReduceOp.AVG)
            inertia = mean_sq.item()
            self._update(x, labels)
            improvement = (previous - inertia) / max(inertia, 1e-12)
            previous = inertia
            self.history.append(inertia)
        return self.centroids


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("features")
    ap.add_argument("--out", default="codebook.pt")
    ap.add_argument("--k", type=int, default=8192)
    ap.add_argument("--tol", type=float, default=1e-4)
    args = ap.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    x = shard_features(args.features, dist.get_rank(), dist.get_world_size(), device)
    km = DistributedKMeans(args.k, args.tol)
    centroids = km.fit(x)
    if dist.get_rank() == 0:
        torch.save({"centroids": centroids.cpu(), "inertia": km.history}, args.out)
        print(f"{len(km.history)} iterations, inertia {km.history[-1]:.5f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
