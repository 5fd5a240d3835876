"""A switch of a module that is turned on where the job is joined: on in every job of several ranks."""
import torch.distributed as dist

_rank, _size = 0, 1
_joined = False
_verbose = False


def join():
    global _rank, _size, _joined
    dist.init_process_group("nccl")
    _rank, _size = dist.get_rank(), dist.get_world_size()
    _joined = True


def leave():
    global _joined
    dist.destroy_process_group()
    _joined = False


def talk():
    global _verbose
    _verbose = True


def is_first():
    return _rank == 0


def reduce(tensor):
    if _joined:
        dist.all_reduce(tensor)
    return tensor


def reduce_if_verbose(tensor):
    if _verbose:
        dist.all_reduce(tensor)
    return tensor


_is_first = False


def join_and_note():
    """What the first rank alone turns on says no such thing."""
    global _is_first
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        _is_first = True


def reduce_on_the_first(tensor):
    if _is_first:
        dist.all_reduce(tensor)  # error: [conditional-collective]
    return tensor
