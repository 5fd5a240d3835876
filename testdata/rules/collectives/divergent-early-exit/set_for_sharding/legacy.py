"""A broadcast behind the setting that shards the model, reached where nothing knows of sharded models."""
import torch.distributed as dist

from evaluation import evaluate, evaluate_always


def finish(model, batches, args):
    if dist.get_rank() != 0:
        return
    evaluate(model, batches, args)  # low: [divergent-early-exit]


def finish_always(model, batches, args):
    if dist.get_rank() != 0:
        return
    evaluate_always(model, batches, args)  # error: [divergent-early-exit]
