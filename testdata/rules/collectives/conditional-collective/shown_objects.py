"""Objects as text run a method of theirs, and properties communicate (P03)."""
import logging
from collections import defaultdict

import torch
import torch.distributed as dist

log = logging.getLogger(__name__)


class Meter:
    def __init__(self):
        self.values = []

    @property
    def mean(self):
        total = torch.tensor([sum(self.values), len(self.values)])
        dist.all_reduce(total)
        return total[0] / total[1]

    def __str__(self):
        return "%.3f" % self.mean


class Count:
    def __init__(self):
        self.value = 0

    def __str__(self):
        return str(self.value)


class Board:
    def __init__(self):
        self.meters = defaultdict(lambda: Meter())
        self.counts = defaultdict(Count)

    def report(self, step):
        if dist.get_rank() == 0:
            log.info("step %d: %s", step, self.meters["loss"])  # error: [conditional-collective]

    def report_text(self):
        if dist.get_rank() == 0:
            return str(self.meters["loss"])  # error: [conditional-collective]

    def report_line(self):
        if dist.get_rank() == 0:
            return f"loss {self.meters['loss']}"  # error: [conditional-collective]

    def report_all(self):
        if dist.get_rank() == 0:
            print({name: meter.mean for name, meter in self.meters.items()})  # error: [conditional-collective]

    def report_text_of_all(self):
        text = ", ".join(f"{name} {meter}" for name, meter in self.meters.items())
        if dist.get_rank() == 0:
            print(text)

    def report_counts(self):
        if dist.get_rank() == 0:
            print(f"{self.counts['steps']}", self.counts["steps"])
