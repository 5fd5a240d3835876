"""How large a batch is parts nobody in a group that may share it; whether there is one, and what was dealt out, does."""

import torch
import torch.distributed as dist


class Stage:
    def __init__(self, settings):
        self.stage = settings.stage_group

    def scattered_in_the_same(self, pieces, t):
        piece = [None]
        dist.scatter_object_list(piece, pieces, group=self.stage)
        if piece[0]:
            dist.all_reduce(t, group=self.stage)  # error: [conditional-collective]


class Heads(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.process_group = weights.process_group

    def count(self, x):
        if x.shape[0] > 128:
            return None
        total = x.sum()
        dist.all_reduce(total, group=self.process_group)  # low: [divergent-early-exit]
        return total

    def count_what_there_is(self, x):
        if x.shape[0] == 0:
            return None
        total = x.sum()
        dist.all_reduce(total, group=self.process_group)  # error: [divergent-early-exit]
        return total


def scattered_among_all(pieces, t):
    piece = [None]
    dist.scatter_object_list(piece, pieces)
    if piece[0]:
        dist.all_reduce(t)  # error: [conditional-collective]
