"""A mapping of settings and of what this rank has computed: each entry is what it was."""

import torch.distributed as dist


def save(info, model):
    if info["engine"] == "sharded":
        dist.barrier()


def train(model, train_loader, settings):
    for batch in train_loader:
        loss = model(batch)
        info = {"loss": loss, "step": 0, **settings}
        save(info, model)


def save_low(info, model):
    if info["loss"] > 1.0:
        dist.barrier()


def train_by_loss(model, train_loader, settings):
    for batch in train_loader:
        loss = model(batch)
        info = {**settings, "loss": loss}
        save_low(info, model)  # low: [conditional-collective]


def train_by_what_came_last(model, train_loader, settings):
    for batch in train_loader:
        info = {"loss": 2.0, **{"loss": model(batch)}}
        save_low(info, model)  # low: [conditional-collective]
