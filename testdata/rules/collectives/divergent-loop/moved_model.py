"""A model is the same model wherever each rank moves it; a list that one rank fills is not."""
import torch.distributed as dist


def synchronised(model, device):
    if dist.get_rank() == 0:
        model = model.to(device)
    else:
        model = model.to_empty(device=device)
    for _, buffer in model.named_buffers():
        dist.broadcast(buffer, src=0)


def filled(model):
    if dist.get_rank() == 0:
        buffers = list(model.buffers())
    else:
        buffers = []
    for buffer in buffers:
        dist.broadcast(buffer, src=0)  # error: [divergent-loop]
