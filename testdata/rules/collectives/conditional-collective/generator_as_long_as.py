"""One rank hands a generator to what runs it, the others go through the same things: as many, in the same order."""

import torch.distributed as dist


class Engine:
    def send(self, weights):
        for name, weight in weights:
            self.put(name, weight)

    def put(self, name, weight):
        self.sent = (name, weight)


def full(parameters):
    for name, parameter in parameters:
        yield name, parameter.full_tensor()


def some(parameters, wanted):
    for name, parameter in parameters:
        if name in wanted:
            yield name, parameter.full_tensor()


def gather(model):
    if dist.get_rank() == 0:
        Engine().send(full(model.named_parameters()))
    else:
        for name, parameter in model.named_parameters():
            parameter.full_tensor()


def gather_one_by_one(model):
    if dist.get_rank() == 0:
        for name, parameter in model.named_parameters():
            Engine().put(name, parameter.full_tensor())
    else:
        for name, parameter in model.named_parameters():
            parameter.full_tensor()


def gather_some(model, wanted):
    if dist.get_rank() == 0:
        Engine().send(some(model.named_parameters(), wanted))  # low: [conditional-collective]
    else:
        for name, parameter in model.named_parameters():
            parameter.full_tensor()


def gather_on_one(model):
    for name, parameter in model.named_parameters():
        if dist.get_rank() == 0:
            Engine().put(name, parameter.full_tensor())  # error: [conditional-collective]
