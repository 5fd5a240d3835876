"""A library that reaches a collective far below: that alone does not say that several ranks run it."""
import torch
import torch.distributed as dist


def agreed(name):
    names = [name]
    dist.broadcast_object_list(names)
    return names[0]


def located(name):
    return agreed(name)


def convert(source, target):
    weights = torch.load(located(source))
    torch.save(weights, target)


def gathered(model, target):
    weights = {name: weight.full_tensor() for name, weight in model.items()}
    torch.save(weights, target)


def together(source, target):
    dist.barrier()
    weights = torch.load(source)
    torch.save(weights, target)  # error: [write-race]
