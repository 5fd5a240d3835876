"""Both arms go over what a model is made of, one beside a copy that the first rank alone has: they issue as much."""
import torch
import torch.distributed as dist


def hand_down(rank, load, model, device):
    full = load() if rank == 0 else None
    if rank == 0:
        for weight, buffer in zip(full.buffers(), model.buffers()):
            buffer.copy_(weight)
            dist.broadcast(buffer.to(device), src=0)  # low: [divergent-loop]
    else:
        for buffer in model.buffers():
            received = buffer.to(device)
            dist.broadcast(received, src=0)  # low: [conditional-collective]
            buffer.copy_(received)


def hand_down_lists(rank, load, model, device):
    full = load() if rank == 0 else []
    if rank == 0:
        for weight in full:
            dist.broadcast(weight.to(device), src=0)  # error: [divergent-loop]
    else:
        for buffer in model.buffers():
            dist.broadcast(buffer, src=0)  # error: [conditional-collective]
