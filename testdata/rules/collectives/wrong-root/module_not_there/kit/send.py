"""What the first rank has read goes to the others."""
import torch.distributed as dist

from kit import groups


def to_all(state):
    # The group of some of them needs a module that is not there.
    dist.broadcast(state, src=0, group=groups.get_data_parallel_group())


def to_a_row(state):
    dist.broadcast(state, src=0, group=groups.get_tensor_parallel_group())  # error: [wrong-root]


def read_by_the_first(state):
    if dist.get_rank() == 0:
        try:
            from kit.stages.grid import reader
        except ImportError:
            return None
        state = reader(state)
    dist.broadcast(state, src=0)  # error: [divergent-early-exit]
    return state


def read_where_it_is(state):
    if dist.get_rank() == 0:
        try:
            from kit.stages import rows
        except ImportError:
            return None
        state = rows.reader(state)
    dist.broadcast(state, src=0)
    return state


def built_on_the_way(state):
    if dist.get_rank() == 0:
        try:
            from kit.stages._rows import reader
        except ImportError:
            return None
        state = reader(state)
    dist.broadcast(state, src=0)
    return state
