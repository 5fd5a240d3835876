"""Objects of which an annotation says the class: of fields, and of what a function answers."""
import dataclasses
from typing import Optional

import torch.distributed as dist

REGISTRY = {}


class Reducer:
    def on_step(self, total):
        dist.all_reduce(total)


class Printer:
    def on_step(self, total):
        print(total)


@dataclasses.dataclass
class Trainer:
    reducer: Reducer
    printer: Printer
    other: Optional[Reducer] = None

    def step(self, total):
        if dist.get_rank() == 0:
            self.reducer.on_step(total)  # error: [conditional-collective]

    def step_of_the_other(self, total):
        if dist.get_rank() == 0 and self.other is not None:
            self.other.on_step(total)  # error: [conditional-collective]

    def step_with_a_printer(self, total):
        if dist.get_rank() == 0:
            self.printer.on_step(total)


class Loop:
    def __init__(self, reducer: Reducer, printer: Printer):
        self.reducer = reducer
        self.printer = printer

    def step(self, total):
        if dist.get_rank() == 0:
            self.reducer.on_step(total)  # error: [conditional-collective]

    def step_with_a_printer(self, total):
        if dist.get_rank() == 0:
            self.printer.on_step(total)


def made(registry) -> Reducer:
    return registry["reducer"]()


def made_of_nothing() -> Reducer:
    return REGISTRY["reducer"]()


def made_otherwise(registry) -> Printer:
    return registry["printer"]()


def step(registry, total):
    reducer = made(registry)
    if dist.get_rank() == 0:
        reducer.on_step(total)  # error: [conditional-collective]


def step_of_the_registered(total):
    reducer = made_of_nothing()
    if dist.get_rank() == 0:
        reducer.on_step(total)  # error: [conditional-collective]


def step_with_a_printer(registry, total):
    printer = made_otherwise(registry)
    if dist.get_rank() == 0:
        printer.on_step(total)
