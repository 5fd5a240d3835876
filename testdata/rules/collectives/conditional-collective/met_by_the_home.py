"""One rank runs what an optimiser calls; its peers follow, in the function around it."""
import torch
import torch.distributed as dist


def step(optimizer, model, rank):
    signal = torch.zeros(1)

    def closure():
        if rank == 0:
            signal.fill_(1)
            dist.broadcast(signal, src=0)  # low: [conditional-collective]
        return model()

    if rank == 0:
        optimizer.step(closure)
        signal.fill_(0)
        dist.broadcast(signal, src=0)  # low: [conditional-collective]
    else:
        while True:
            dist.broadcast(signal, src=0)
            if signal.item() == 0:
                break
            closure()


def step_alone(optimizer, model, rank):
    signal = torch.zeros(1)

    def closure():
        if rank == 0:
            signal.fill_(1)
            dist.broadcast(signal, src=0)  # error: [conditional-collective]
        return model()

    optimizer.step(closure)
    closure()
