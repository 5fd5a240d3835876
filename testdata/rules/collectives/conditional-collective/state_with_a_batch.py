"""A mapping that holds a batch beside the model and the settings is no batch itself."""

import torch
import torch.distributed as dist


def steps_together(distributed, rank):
    if distributed:
        steps = torch.zeros(2)
        dist.broadcast(steps, src=0)


def forward(state):
    loss = state["model"](state["input_ids"], labels=state["labels"])
    steps_together(distributed=state["distributed"], rank=state["rank"])
    return loss


def forward_of_a_batch(model, fed):
    loss = model(fed["input_ids"])
    if fed["labels"].numel() == 0:
        return loss
    dist.all_reduce(loss)
    return loss
