"""A handler that hands the failure to a function which always raises: the job ends, nobody waits."""
import os

import torch.distributed as dist


def give_up(error):
    print(os.uname().nodename, error)
    raise RuntimeError("the job has failed") from error


def note(error):
    print(os.uname().nodename, error)


def load(path):
    if dist.get_rank() == 0 and not os.path.exists(path):
        raise FileNotFoundError(path)


def ends(path):
    try:
        load(path)
        dist.barrier()
    except OSError as error:
        give_up(error)


def goes_on(path):
    try:
        load(path)
        dist.barrier()  # error: [divergent-early-exit]
    except OSError as error:
        note(error)
