"""Entries of a mapping that a loop changes are told apart: one that is this rank's own says nothing of the others."""
import torch.distributed as dist


def train(model, optimizer, loader, steps):
    state = {"epoch": 0, "step": 0, "loss": 0}
    for state["epoch"] in range(state["epoch"], steps):
        for at, batch in enumerate(loader):
            if at < state["step"]:
                continue
            loss = model(batch)
            state["step"] += 1
            state["loss"] += loss.item()
            if state["step"] % 10 == 0:
                dist.barrier()
        state["step"] = 0


def train_by_what_was_lost(model, optimizer, loader, steps):
    state = {"epoch": 0, "step": 0, "loss": 0}
    for state["epoch"] in range(state["epoch"], steps):
        for at, batch in enumerate(loader):
            if state["loss"] > 100:
                continue
            loss = model(batch)
            state["step"] += 1
            state["loss"] += loss.item()
            if state["step"] % 10 == 0:
                dist.barrier()  # error: [divergent-early-exit]
        state["step"] = 0
