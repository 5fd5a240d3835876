"""A raise that nothing catches ends the job, whatever it passes on the way out; who ends it in a loop issues no less."""
import contextlib

import torch.distributed as dist
from torch.distributed import get_rank


@contextlib.contextmanager
def folder():
    try:
        yield "folder"
    finally:
        dist.barrier()


def parts(shape):
    if get_rank() == 0:
        if len(shape) == 0:
            raise ValueError("no shape")


def cleaned_up(shape, out):
    with folder():
        parts(shape)
        dist.all_gather_object(out, shape)


def turn_by_turn(group, chunks, shapes):
    for chunk, shape in zip(chunks, shapes):
        if dist.get_rank(group) == 0:
            assert chunk.shape == shape
        dist.broadcast(chunk, src=0)


def caught(shape, out):
    try:
        if get_rank() == 0:
            raise ValueError(shape)
        dist.all_gather_object(out, shape)  # error: [divergent-early-exit]
    except ValueError:
        pass




def save(path, state, logger):
    import os

    # A file where a folder was asked for is a wrong argument on every rank.
    if os.path.isfile(path):
        logger.error("%s should be a folder", path)
        return
    dist.barrier()  # low: [divergent-early-exit]


def resume(path, logger):
    import os

    if not os.path.isfile(path):
        logger.info("nothing to resume from %s", path)
        return
    dist.barrier()  # low: [divergent-early-exit]
