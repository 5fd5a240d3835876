"""An accelerator that has prepared the model goes back through it with all its peers."""
import time

from accelerate import Accelerator


def main(args, model, loader, optimizer):
    if time.monotonic() > args.deadline:
        return
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # error: [divergent-early-exit]
    for batch in loader:
        loss = model(batch).loss
        accelerator.backward(loss)
        optimizer.step()
