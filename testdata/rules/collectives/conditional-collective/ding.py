"""The helpers of DI-engine."""
from ding.utils import broadcast_object_list, get_rank, get_world_size


def evaluate(stop, info):
    if get_rank() == 0:
        if get_world_size() > 1:
            found = [stop, info]
            broadcast_object_list(found, src=0)  # error: [conditional-collective]
            stop, info = found
        return stop, info


def evaluate_in_step(stop, info):
    found = [stop, info]
    if get_world_size() > 1:
        broadcast_object_list(found, src=0)
    return found
