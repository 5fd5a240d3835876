"""An attribute that the method that asks for it fills, behind the question, on every rank."""
import torch.distributed as dist


class Validation:
    def __init__(self, rows):
        self.rows = rows
        self.items = None

    def get_items(self, total):
        if self.items is not None:
            return self.items
        dist.all_reduce(total)  # low: [divergent-early-exit]
        self.items = [row for row in self.rows[dist.get_rank() :: dist.get_world_size()]]
        return self.items


class FilledElsewhere:
    def __init__(self, rows):
        self.rows = rows
        self.first = None

    def fill(self):
        if dist.get_rank() == 0:
            self.first = self.rows[0]

    def get_first(self, total):
        if self.first is not None:
            return self.first
        dist.all_reduce(total)  # error: [divergent-early-exit]
        self.first = total
        return self.first
