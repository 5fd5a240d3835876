"""Class histograms and confusion matrices for segmentation validation."""
import torch
import torch.distributed as dist


class SegmentationStats:
    def __init__(self, num_classes, ignore_index=255):
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.predicted = []
        self.target = []

    def update(self, logits, target):
        keep = target != self.ignore_index
        self.predicted.append(logits.argmax(1)[keep])
        self.target.append(target[keep])

    def _flat(self):
        return torch.cat(self.predicted), torch.cat(self.target)

    def confusion(self):
        pred, target = self._flat()
        index = target * self.num_classes + pred
        matrix = torch.bincount(index, minlength=self.num_classes**2)
        dist.all_reduce(matrix)
        return matrix.view(self.num_classes, self.num_classes)

    def class_frequency(self):
        _, target = self._flat()
        counts = torch.bincount(target)
        dist.all_reduce(counts)  # BUG 1
        return counts.float() / counts.sum()

    def present_classes(self):
        _, target = self._flat()
        present = torch.unique(target)
        parts = [torch.empty_like(present) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, present)  # BUG 2
        return torch.unique(torch.cat(parts))

    def mean_iou(self):
        m = self.confusion().double()
        union = m.sum(0) + m.sum(1) - m.diag()
        return (m.diag() / union.clamp(min=1)).mean().item()
