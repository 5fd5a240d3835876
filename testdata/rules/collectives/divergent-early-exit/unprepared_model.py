"""An accelerator that has prepared no model goes back through one of this process alone."""
import time

from accelerate import Accelerator


def main(args, model, loader, optimizer):
    if time.monotonic() > args.deadline:
        return
    accelerator = Accelerator()
    for batch in loader:
        loss = model(batch.to(accelerator.device)).loss
        accelerator.backward(loss)  # low: [divergent-early-exit]
        optimizer.step()
