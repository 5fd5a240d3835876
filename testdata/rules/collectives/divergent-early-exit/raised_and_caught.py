"""A failure of one rank, raised in a helper and caught by who called that: the others go on into the barrier."""
import torch
import torch.distributed as dist


def check(path):
    dist.barrier()
    if dist.get_rank() == 0 and not path.endswith(".pt"):
        raise ValueError(path)


def load(path):
    try:
        check(path)
    except ValueError:
        return None
    dist.barrier()  # error: [divergent-early-exit]
    return torch.load(path)


def verify(path):
    if dist.get_rank() == 0 and not path.endswith(".bin"):
        raise ValueError(path)


def through(path):
    verify(path)
    return path


def load_through(path):
    try:
        through(path)
    except ValueError:
        return None
    dist.barrier()  # error: [divergent-early-exit]
    return torch.load(path)


def refuse(path):
    if not path.endswith(".pt"):
        raise ValueError(path)


def load_alike(path):
    try:
        refuse(path)
    except ValueError:
        return None
    dist.barrier()
    return torch.load(path)


def load_and_agree(path):
    failed = torch.zeros(1)
    try:
        verify(path)
    except ValueError:
        failed += 1
    dist.all_reduce(failed)
    if failed.item():
        return None
    dist.barrier()
    return torch.load(path)
