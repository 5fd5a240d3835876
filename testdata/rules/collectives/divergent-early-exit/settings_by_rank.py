"""A rank leaves under a mixture of settings, of which all must hold at once and others not."""
import math
import os

import torch.distributed as dist

RANK = int(os.environ["RANK"])


def train(loader, model, meter, settings, log):
    for index, batch in enumerate(loader):
        if settings.skip_first and index == 0:
            log.info("skipped")
        if settings.warm_up and not settings.resume:
            log.info("warm up")
        loss = model(batch).item()
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if RANK == 0:
            meter.update(loss)
            if settings.log_every and index % settings.log_every == 0:
                if settings.plot and not settings.quiet:
                    log.info(loss)
                if math.isnan(meter.average):
                    return False
    return True


def main(loader, model, meter, settings, log):
    for epoch in range(settings.epochs):
        finished = train(loader, model, meter, settings, log)
        if not finished:
            break
        dist.barrier()  # error: [divergent-early-exit]
