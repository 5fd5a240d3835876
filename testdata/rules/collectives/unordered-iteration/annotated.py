"""Sets that only annotations tell of."""
from typing import Set

import torch.distributed as dist


class Model:
    def outputs(self) -> set[str]:
        return self.active & self.supported

    def stages(self) -> set[int]:
        return self.active & self.supported

    def places(self) -> set[tuple[int, int]]:
        return self.active & self.supported

    def in_its_order(self, values):
        for key in self.outputs():  # error: [unordered-iteration]
            dist.all_reduce(values[key])

    def numbers(self, values):
        for stage in self.stages():
            dist.all_reduce(values[stage])
        for place in self.places():
            dist.all_reduce(values[place])

    def filled_in_its_order(self, values):
        found = {key: values[key] for key in self.outputs()}
        for value in found.values():  # error: [unordered-iteration]
            dist.all_reduce(value)


def handed(values, names: Set[str]):
    for name in names:  # error: [unordered-iteration]
        dist.all_reduce(values[name])


def in_order(values, names: Set[str]):
    for name in sorted(names):
        dist.all_reduce(values[name])


def put_in_order(values, names: Set[str]):
    names = sorted(names)
    for name in names:
        dist.all_reduce(values[name])


def in_a_row(values, names: list[str]):
    for name in names:
        dist.all_reduce(values[name])


def in_another_order(values, names: Set[str]):
    if names := sorted(names):
        for name in names:
            dist.all_reduce(values[name])


Rank = int


def of_numbers_by_another_name(values, kinds: Set[Rank]):
    for kind in kinds:
        dist.all_reduce(values[kind])
