"""A list that one rank has loaded in place of its own, and all send each other piece by piece, is as long as theirs."""
import copy

import torch.distributed as dist


def flat(parameters):
    return [sum(parameters)]


class Trainer:
    def __init__(self, model, half):
        self.model = model
        self.half = half
        self.parameters = list(model.parameters())
        if half:
            self.flatten()

    def flatten(self):
        self.parameters = flat(self.parameters)

    def named(self, state):
        found = [state[name] for name, _ in self.model.named_parameters()]
        return flat(found) if self.half else found

    def load(self, state, given):
        kept = copy.deepcopy(self.parameters)
        if given:
            if dist.get_rank() == 0:
                kept = self.named(state)
        for parameter in kept:
            dist.broadcast(parameter, 0)  # low: [divergent-loop]

    def load_two(self, state):
        kept = [state["first"]]
        if dist.get_rank() == 0:
            kept = [state["first"], state["second"]]
        for parameter in kept:
            dist.broadcast(parameter, 0)  # error: [divergent-loop]

    def load_or_none(self, state):
        kept = []
        if dist.get_rank() == 0:
            kept = [state[name] for name, _ in self.model.named_parameters()]
        for parameter in kept:
            dist.broadcast(parameter, 0)  # error: [divergent-loop]

    def load_one_more(self, state, names):
        kept = [state[name] for name in names]
        if dist.get_rank() == 0:
            kept.append(state["first"])
        for parameter in kept:
            dist.broadcast(parameter, 0)  # error: [divergent-loop]
