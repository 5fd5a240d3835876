"""Where this rank stands, kept in variables of the module."""
import torch.distributed as dist

_PLACE = None
_PLACES = None


def setup(places):
    global _PLACE, _PLACES
    per_place = dist.get_world_size() // places
    _PLACES = places
    _PLACE = dist.get_rank() // per_place


def closes():
    return _PLACE == _PLACES - 1


def is_split():
    return _PLACES > 1
