"""Collectives in the parts of a `try`, all reached by every rank, and guarded ones."""
import torch
import torch.distributed as dist


def cleanup(t, path):
    try:
        dist.all_reduce(t)
    finally:
        if dist.get_rank() == 0:
            print("closing", path)


def guarded_body(t):
    try:
        if dist.get_rank() == 0:
            dist.all_reduce(t)  # error: [conditional-collective]
    except RuntimeError:
        raise


def otherwise(t, parse):
    try:
        value = int(parse)
    except ValueError:
        value = 0
    else:
        value += 1
    dist.all_reduce(t)
    return value


def log_and_raise(t):
    try:
        dist.all_reduce(t)
    except RuntimeError as error:
        if dist.get_rank() == 0:
            print(error)
        raise
