"""A step whose forward function, handed over, takes its batch from this rank's iterator."""

import torch
import torch.distributed as dist


def train_step(data_iterator, model, hooks):
    loss, metrics = hooks["forward"](data_iterator, model)
    if loss.detach().isnan().any():
        return loss
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)  # error: [divergent-early-exit]
    return loss


def agreed_step(data_iterator, model, hooks):
    loss, metrics = hooks["forward"](data_iterator, model)
    checked = loss.detach().clone()
    dist.all_reduce(checked.data)
    for name in metrics:
        if "eval" not in name:
            metrics[name] = metrics[name].detach().clone()
            dist.all_reduce(metrics[name].data)
            checked = checked + metrics[name]
    if checked.isnan().any():
        return loss
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    return loss


def step_on_a_batch(batches, model, hooks):
    loss = hooks["forward"](batches, model)
    if loss.detach().isnan().any():
        return loss
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    return loss
