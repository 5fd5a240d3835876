"""What a caller hands in decides how often a loop turns, though the first turn is begun with a constant."""
import numpy as np
import torch
import torch.distributed as dist


def shard(path):
    features = np.load(path, mmap_mode="r")
    rows = len(features) // dist.get_world_size()
    return torch.from_numpy(features[dist.get_rank() * rows:(dist.get_rank() + 1) * rows])


class Lloyd:
    def __init__(self, tolerance):
        self.tolerance = tolerance

    def fit(self, rows, centroids):
        previous, improvement = float("inf"), float("inf")
        while improvement > self.tolerance:
            inertia = torch.cdist(rows, centroids).min(dim=1).values.mean().item()
            dist.all_reduce(centroids)
            improvement = previous - inertia
            previous = inertia
        return centroids

    def fit_together(self, rows, centroids):
        previous, improvement = float("inf"), float("inf")
        while improvement > self.tolerance:
            inertia = torch.cdist(rows, centroids).min(dim=1).values.mean()
            dist.all_reduce(inertia)
            dist.all_reduce(centroids)
            improvement = previous - inertia.item()
            previous = inertia.item()
        return centroids


def main(path, centroids):
    rows = shard(path)
    Lloyd(0.1).fit_together(rows, centroids)
    return Lloyd(0.1).fit(rows, centroids)  # low: [divergent-loop]
