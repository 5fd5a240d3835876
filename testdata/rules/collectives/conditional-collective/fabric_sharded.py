"""Fabric returns a sharded model where its strategy shards: its forward pass gathers."""
import lightning as L
import torch
from lightning.fabric.strategies import FSDPStrategy


@torch.no_grad()
def validate(fabric, model, batches):
    return [model(batch) for batch in batches]


def train(fabric, model, batches):
    for step, batch in enumerate(batches):
        if step % 100 == 0 and fabric.global_rank == 0:
            validate(fabric, model, batches)
        loss = model(batch)
        fabric.backward(loss)


def train_in_step(fabric, model, batches):
    for step, batch in enumerate(batches):
        if step % 100 == 0:
            losses = validate(fabric, model, batches)
            if fabric.global_rank == 0:
                print(losses)
        loss = model(batch)
        fabric.backward(loss)


def main(net, optimizer, batches):
    fabric = L.Fabric(devices=4, strategy=FSDPStrategy())
    fabric.launch()
    model = fabric.setup_module(net)
    train(fabric, model, batches)  # error: [conditional-collective]
    train_in_step(fabric, model, batches)


def main_with_optimizer(net, optimizer, batches):
    fabric = L.Fabric(devices=4, strategy=FSDPStrategy())
    fabric.launch()
    model, optimizer = fabric.setup(net, optimizer)
    if fabric.global_rank == 0:
        validate(fabric, model, batches)  # error: [conditional-collective]
