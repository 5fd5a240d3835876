"""A list that one rank has loaded in place of its own, and all send each other piece by piece, is as long as theirs."""
import copy

import torch.distributed as dist

import sync


class Trainer:
    def __init__(self, model, half):
        self.model = model
        self.half = half
        self.parameters = list(model.parameters())

    def named(self, state):
        found = [state[name] for name, _ in self.model.named_parameters()]
        return [sum(found)] if self.half else found

    def load(self, path):
        kept = copy.deepcopy(self.parameters)
        if path:
            if dist.get_rank() == 0:
                kept = self.named(sync.fetch(path))  # low: [conditional-collective]
        sync.send(kept)  # low: [divergent-loop]


class Whole:
    def __init__(self, model):
        self.model = model

    def load(self, path):
        kept = copy.deepcopy(self.pieces)
        if path:
            if dist.get_rank() == 0:
                state = sync.fetch(path)  # low: [conditional-collective]
                kept = [state[name] for name, _ in self.model.named_parameters()]
        sync.send(kept)  # low: [divergent-loop]

    def load_grown(self, path):
        kept = list(self.pieces)
        if dist.get_rank() == 0:
            kept.append(sync.fetch(path))  # low: [conditional-collective]
        sync.send(kept)  # error: [divergent-loop]

    def load_either(self, path):
        kept = copy.deepcopy(self.pieces) if path else []
        if dist.get_rank() == 0:
            state = sync.fetch(path)  # low: [conditional-collective]
            kept = [state[name] for name, _ in self.model.named_parameters()]
        sync.send(kept)  # error: [divergent-loop]

    def load_two(self, state):
        kept = [state["first"]]
        if dist.get_rank() == 0:
            kept = [state["first"], state["second"]]
        sync.send(kept)  # error: [divergent-loop]

    def load_or_none(self, state):
        kept = []
        if dist.get_rank() == 0:
            kept = [state[name] for name, _ in self.model.named_parameters()]
        sync.send(kept)  # error: [divergent-loop]

    def load_further(self, path, more):
        kept = [piece for piece in self.pieces]
        if dist.get_rank() == 0:
            kept.extend(more)
        sync.send(kept)  # error: [divergent-loop]

    def load_where_given(self, path):
        if path:
            kept = self.pieces
        else:
            kept = copy.deepcopy(self.pieces)
            if dist.get_rank() == 0:
                state = sync.fetch(path)  # low: [conditional-collective]
                kept = [state[name] for name, _ in self.model.named_parameters()]
        sync.send(kept)  # low: [divergent-loop]
