"""A script that runs where it is read: its variables are known to what it calls from there."""
import os

from torch.nn.parallel import DistributedDataParallel as DDP

RANK = int(os.getenv("RANK", -1))


def train(settings, model, loader, stopper):
    if RANK != -1:
        model = DDP(model)
    for epoch in range(settings.epochs):
        for images, targets in loader:
            loss = model(images, targets)  # error: [divergent-early-exit]
            loss.backward()
        if RANK in [-1, 0]:
            if stopper(epoch, loss):
                break


def main(settings, model, loader, stopper):
    if RANK in [-1, 0]:
        print(settings)
    train(settings, model, loader, stopper)


if __name__ == "__main__":
    main(*os.environ)
