"""The first rank compares for all, every rank asks for the answer, and only the first one can raise (P13)."""
import torch
import torch.distributed as dist


def compared(ours, theirs, report):
    match = True
    for name in ours:
        if dist.get_rank() == 0:
            match = match and torch.allclose(ours[name], theirs[name])
    if not match:
        raise ValueError("weights differ")  # error: [divergent-early-exit]
    dist.barrier()
    report(ours)


def compared_and_told(ours, theirs, report):
    match = True
    if dist.get_rank() == 0:
        match = all(torch.allclose(ours[name], theirs[name]) for name in ours)
    told = [match]
    dist.broadcast_object_list(told, src=0)
    if not told[0]:
        raise ValueError("weights differ")
    dist.barrier()
    report(ours)


def fetched(fetch, path, tensor):
    error = None
    if dist.get_rank() == 0:
        error = fetch(path)
    if error is not None:
        raise RuntimeError(error)  # error: [divergent-early-exit]
    dist.broadcast(tensor, src=0)


def settled(settings, tensor):
    wrong = False
    if settings.rank_is_given:
        wrong = settings.rank > settings.size
    if wrong:
        raise RuntimeError("more ranks than there are")
    dist.broadcast(tensor, src=0)


def told_and_raised_by_all(fetch, path, tensor):
    told, error = [None], None
    if dist.get_rank() == 0:
        try:
            fetch(path)
        except OSError as found:
            error, told[0] = found, str(found)
    dist.broadcast_object_list(told, src=0)
    if told[0] is not None:
        if error is not None:
            raise error
        raise RuntimeError(told[0])
    dist.broadcast(tensor, src=0)


def ends_for_all(compare, tensor, more):
    passed = True
    if dist.get_rank() == 0:
        passed = compare(tensor)
    if not more:
        if not passed:
            raise SystemExit("not alike")
        return
    dist.broadcast(tensor, src=0)
