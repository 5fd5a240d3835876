"""The first rank goes first: each of the others waits before, and it waits behind."""
import contextlib

import torch.distributed as dist


class State:
    def group(self, name):
        return self.groups[name]


@contextlib.contextmanager
def first_goes_first(local=True):
    if dist.get_world_size() > 1:
        is_first = (dist.get_rank() % 8 == 0) if local else (dist.get_rank() == 0)
        state = State()
        try:
            if not is_first:
                dist.barrier(group=state.group("dp"))
            yield
        finally:
            if is_first:
                dist.barrier(group=state.group("dp"))
    else:
        yield


@contextlib.contextmanager
def in_other_groups():
    is_first = dist.get_rank() == 0
    state = State()
    try:
        if not is_first:
            dist.barrier(group=state.group("dp"))  # error: [conditional-collective]
        yield
    finally:
        if is_first:
            dist.barrier(group=state.group("tp"))  # error: [conditional-collective]


def of_two_states(tensor):
    rows, columns = State(), State()
    if dist.get_rank() == 0:
        dist.all_reduce(tensor, group=rows.group("dp"))  # error: [conditional-collective]
    else:
        dist.all_reduce(tensor, group=columns.group("dp"))
