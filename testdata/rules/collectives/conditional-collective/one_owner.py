"""An object of unknown make, known by a property that one class alone has (P02)."""
import torch.distributed as dist


class Layout:
    def __init__(self, experts):
        self.slot = dist.get_rank() % experts
        self.experts = experts
        self.router_group = dist.new_group([0, experts])

    @property
    def holds_router(self):
        return self.slot == 0

    @property
    def several_experts(self):
        return self.experts > 1


class One:
    @property
    def is_ready(self):
        return dist.get_rank() == 0


class Other:
    @property
    def is_ready(self):
        return True


def share(tensor, group=None):
    dist.all_reduce(tensor, group=group)


def step(weight, layout):
    if layout.holds_router:
        share(weight.grad)  # error: [conditional-collective]


def step_of_holders(weight, layout):
    # Who made the group knows who holds what.
    if layout.holds_router:
        share(weight.grad, layout.router_group)  # low: [conditional-collective]


def step_of_all(weight, layout):
    if layout.several_experts:
        share(weight.grad)


def step_when_ready(weight, state):
    # Two classes have one of that name.
    if state.is_ready:
        share(weight.grad)
