"""Evaluation of a classifier over a strided shard of the validation set."""
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset


class ShardedEval:
    def __init__(self, module, dataset, batch_size):
        self.module = module
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.dataset_size = len(dataset)
        indices = list(range(self.rank, len(dataset), self.world))
        self.loader = DataLoader(Subset(dataset, indices), batch_size=batch_size, shuffle=False)

    @torch.no_grad()
    def _predict(self):
        self.module.eval()
        scores, labels = [], []
        for images, target in self.loader:
            scores.append(self.module(images.cuda()).float())
            labels.append(target.cuda())
        return torch.cat(scores), torch.cat(labels)

    def gather_padded(self, values):
        size = torch.tensor([values.size(0)], device="cuda")
        sizes = [torch.empty_like(size) for _ in range(self.world)]
        dist.all_gather(sizes, size)
        counts = [int(s) for s in sizes]
        padded = values.new_zeros(max(counts), *values.shape[1:])
        padded[: values.size(0)] = values
        parts = [torch.empty_like(padded) for _ in range(self.world)]
        dist.all_gather(parts, padded)
        return torch.cat([p[:n] for p, n in zip(parts, counts)])

    def gather_direct(self, values):
        parts = [torch.empty_like(values) for _ in range(self.world)]
        dist.all_gather(parts, values)  # BUG 1
        return torch.cat(parts)

    def accuracy(self):
        scores, labels = self._predict()
        scores = self.gather_padded(scores)
        labels = self.gather_direct(labels)
        return (scores.argmax(-1) == labels).float().mean().item()
