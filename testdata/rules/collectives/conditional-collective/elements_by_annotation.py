"""What a container holds, an annotation says."""
from typing import Dict, List, Optional

import torch.distributed as dist


class Meter:
    def __init__(self, total):
        self.total = total

    def mean(self):
        dist.all_reduce(self.total)
        return self.total

    def last(self):
        return self.total


class Report:
    def __init__(self, meters: Dict[str, Meter], extra: Optional[List[Meter]] = None):
        self.meters = meters
        self.extra = extra

    def summary(self):
        return {name: meter.mean() for name, meter in self.meters.items()}

    def show(self):
        if dist.get_rank() == 0:
            print(self.summary())  # error: [conditional-collective]

    def show_extra(self):
        if dist.get_rank() == 0:
            for meter in self.extra:
                print(meter.mean())  # error: [conditional-collective]

    def show_last(self):
        if dist.get_rank() == 0:
            print([meter.last() for meter in self.meters.values()])

    def show_in_step(self):
        summary = self.summary()
        if dist.get_rank() == 0:
            print(summary)


def show_one(meters: "dict[str, Meter]"):
    if dist.get_rank() == 0:
        print(meters["loss"].mean())


def show_loss(meters: dict[str, Meter]):
    if dist.get_rank() == 0:
        print(meters["loss"].mean())  # error: [conditional-collective]
