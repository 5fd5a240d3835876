"""Who has no peers may leave: the number of processes, as fairseq calls it."""
import torch
import torch.distributed as dist


def step(args, model, batch):
    try:
        model(batch).backward()
    except torch.cuda.OutOfMemoryError:
        if args.distributed_world_size == 1:
            return None
        model.zero_grad()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    return batch


def step_without(args, model, batch):
    try:
        model(batch).backward()
    except torch.cuda.OutOfMemoryError:
        if args.skips_batches:
            return None
        model.zero_grad()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)  # error: [divergent-early-exit]
    return batch
