"""Objects made of fields, and the group that they agree on: all ranks, where none is given."""
import dataclasses
from datetime import datetime

import torch
import torch.distributed as dist


class Frequency:
    def __init__(self, seconds, group=None):
        self.seconds = seconds
        self.group = group
        self.last = datetime.now()

    def check(self):
        waited = torch.tensor((datetime.now() - self.last).total_seconds())
        dist.all_reduce(waited, op=dist.ReduceOp.MAX, group=self.group)
        return waited.item() > self.seconds


@dataclasses.dataclass
class Control:
    seconds: float
    group: dist.ProcessGroup | None = None

    def __post_init__(self):
        self.time = Frequency(self.seconds, group=self.group)

    def check(self):
        return self.time.check()


class Saver:
    def __init__(self, config):
        self.control = Control(seconds=config.seconds)

    def save(self, state):
        if not self.control.check():
            return
        states = [None] * dist.get_world_size()
        dist.all_gather_object(states, state)


class SaverOfPart:
    def __init__(self, config, mesh):
        self.control = Control(seconds=config.seconds, group=mesh.get_group("tp"))

    def save(self, state):
        if not self.control.check():
            return
        states = [None] * dist.get_world_size()
        dist.all_gather_object(states, state)  # error: [divergent-early-exit]


@dataclasses.dataclass
class Mutual:
    """Each group is the other one where it is not given: that has an end."""

    seconds: float
    group: dist.ProcessGroup | None = None
    other_group: dist.ProcessGroup | None = None

    def __post_init__(self):
        self.group = self.group or self.other_group
        self.other_group = self.other_group or self.group

    def check(self):
        return Frequency(self.seconds, group=self.group).check()


SOME = dist.new_group([0, 1])


@dataclasses.dataclass
class OfSome:
    seconds: float
    group: dist.ProcessGroup = SOME

    def check(self):
        return Frequency(self.seconds, group=self.group).check()


class SaverOfOthers:
    def __init__(self, config):
        self.mutual = Mutual(seconds=config.seconds)
        self.of_some = OfSome(seconds=config.seconds)

    def save(self, state):
        if not self.mutual.check():
            return
        dist.all_reduce(state)  # error: [divergent-early-exit]

    def save_by_some(self, state):
        if not self.of_some.check():
            return
        dist.all_reduce(state)  # error: [divergent-early-exit]
