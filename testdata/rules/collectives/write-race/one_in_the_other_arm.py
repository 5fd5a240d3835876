"""Where one arm of a question tells ranks apart, and the question says it is for several, the other arm has one process."""
import os

import torch
import torch.distributed as dist
from torch import nn


def train(cfg, model, loader):
    if cfg.MODEL.DIST_TRAIN:
        model = nn.parallel.DistributedDataParallel(model)
    for epoch in range(10):
        for batch in loader:
            model(batch).backward()
        if cfg.MODEL.DIST_TRAIN:
            if dist.get_rank() == 0:
                torch.save(model.state_dict(), os.path.join(cfg.OUTPUT_DIR, f"{epoch}.pth"))
        else:
            torch.save(model.state_dict(), os.path.join(cfg.OUTPUT_DIR, f"{epoch}.pth"))  # low: [write-race]


def train_to_the_nearest(cfg, model, loader, best):
    model = nn.parallel.DistributedDataParallel(model)
    for batch in loader:
        min_dist = model(batch)
        min_dist.backward()
    if min_dist < best:
        torch.save(model.state_dict(), os.path.join(cfg.OUTPUT_DIR, "best.pth"))  # error: [write-race]
    elif dist.get_rank() == 0:
        torch.save(model.state_dict(), os.path.join(cfg.OUTPUT_DIR, "last.pth"))
