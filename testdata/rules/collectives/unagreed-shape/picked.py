"""What passes a question is gathered: who gathers something says that each rank has its own, and so many of it."""
import torch
import torch.distributed as dist
import torch.nn.functional as F


def scores_above(scores, least):
    kept = scores[scores > least]
    dist.all_reduce(kept)  # error: [unagreed-shape]
    return kept


def boxes_above(boxes, scores, least):
    kept = boxes[scores > least].contiguous()
    out = kept.new_empty(dist.get_world_size() * kept.size(0), 4)
    dist.all_gather_into_tensor(out, kept)  # error: [unagreed-shape]
    return out


def classes_found(target):
    found = torch.unique(target)
    parts = [torch.empty_like(found) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, found)  # error: [unagreed-shape]
    return parts


def counted(target):
    counts = torch.bincount(target)
    dist.all_reduce(counts)  # error: [unagreed-shape]
    return counts


def counted_for_each_class(target, classes):
    counts = torch.bincount(target, minlength=classes)
    dist.all_reduce(counts)
    return counts


def boxes_as_objects(boxes, scores, least):
    out = [None] * dist.get_world_size()
    dist.all_gather_object(out, boxes[scores > least])
    return out


def boxes_padded(boxes, scores, least, most):
    kept = boxes[scores > least]
    kept = F.pad(kept, (0, 0, 0, most - len(kept)))
    parts = [torch.empty_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)
    return parts


def masked_weights(model, mask):
    """The model is the same on every rank, and so is what is picked of it."""
    for parameter in model.parameters():
        picked = parameter.grad[parameter.data > 0]
        dist.all_reduce(picked)


def in_a_group_of_shares(logits, least, tp_group):
    """What the ranks of a tensor-parallel group look at is one thing."""
    kept = logits[logits > least]
    dist.all_reduce(kept, group=tp_group)
    return kept
