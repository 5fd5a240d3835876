import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from .dist import get_world_size


class SetCriterion(nn.Module):
    def __init__(self, num_classes, weights):
        super().__init__()
        self.num_classes, self.weights = num_classes, weights

    def num_boxes(self, targets, device):
        n = torch.as_tensor([sum(len(t["labels"]) for t in targets)], dtype=torch.float, device=device)
        if get_world_size() > 1:
            dist.all_reduce(n)
        return torch.clamp(n / get_world_size(), min=1).item()

    def loss_labels(self, out, targets, num):
        logits = out["logits"]
        onehot = torch.zeros_like(logits)
        for i, t in enumerate(targets):
            k = min(len(t["labels"]), logits.shape[1])
            onehot[i, torch.arange(k), t["labels"][:k]] = 1
        return {"loss_cls": F.binary_cross_entropy_with_logits(logits, onehot, reduction="sum") / num}

    def loss_boxes(self, out, targets, num):
        boxes = out["boxes"]
        total = boxes.sum() * 0.0
        for i, t in enumerate(targets):
            k = min(len(t["boxes"]), boxes.shape[1])
            total = total + F.l1_loss(boxes[i, :k], t["boxes"][:k], reduction="sum")
        return {"loss_bbox": total / num}

    def loss_masks(self, out, targets, num):
        masks = out["masks"]
        total = masks.sum() * 0.0
        found = 0
        for i, t in enumerate(targets):
            if "masks" in t:
                k = min(len(t["masks"]), masks.shape[1])
                total = total + F.binary_cross_entropy_with_logits(masks[i, :k], t["masks"][:k])
                found += k
        if found == 0:  # BUG 1
            return {}
        return {"loss_mask": total}

    def forward(self, out, targets):
        num = self.num_boxes(targets, out["logits"].device)
        losses = {}
        for fn in (self.loss_labels, self.loss_boxes, self.loss_masks):
            losses.update(fn(out, targets, num))
        return losses
