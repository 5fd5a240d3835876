"""Hard-negative mining and detection gathering across replicas."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


class NegativeMiner:
    def __init__(self, threshold, dim):
        self.threshold = threshold
        self.dim = dim
        self.world = dist.get_world_size()

    def similarity(self, query, bank):
        return F.normalize(query, dim=-1) @ F.normalize(bank, dim=-1).T

    def mean_hard_score(self, query, bank):
        sims = self.similarity(query, bank)
        mask = sims > self.threshold
        pair = torch.stack([(sims * mask).sum(), mask.sum().to(sims.dtype)])
        dist.all_reduce(pair)
        return pair[0] / pair[1].clamp(min=1)

    def hard_scores(self, query, bank):
        sims = self.similarity(query, bank)
        hard = sims[sims > self.threshold]
        dist.all_reduce(hard)  # BUG 1
        return hard / self.world


class DetectionGatherer:
    def __init__(self, min_score):
        self.min_score = min_score
        self.world = dist.get_world_size()

    def as_objects(self, boxes, scores):
        kept = boxes[scores > self.min_score].cpu()
        out = [None] * self.world
        dist.all_gather_object(out, kept)
        return torch.cat(out)

    def as_tensor(self, boxes, scores):
        kept = boxes[scores > self.min_score].contiguous()
        out = kept.new_empty(self.world * kept.size(0), 4)
        dist.all_gather_into_tensor(out, kept)  # BUG 2
        return out
