"""Arms and guards that together take every rank (P08, shapes 1, 3, 4, 5, 6): nothing to report."""
import torch
import torch.distributed as dist


def share_plan(plan):
    rank = dist.get_rank()
    if rank == 0:
        payload = [plan]
        dist.broadcast_object_list(payload, src=0)
    else:
        payload = [None]
        dist.broadcast_object_list(payload, src=0)
    return payload[0]


def odd_then_even():
    rank = dist.get_rank()
    if rank % 2:
        dist.barrier()
    if not rank % 2:
        dist.barrier()


def download_once(repo, fetch):
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()
    path = fetch(repo)
    if rank == 0:
        dist.barrier()
    return path


def warm_up(t):
    rank = dist.get_rank()
    if rank == 0:
        for _ in range(4):
            dist.all_reduce(t)
    else:
        for _ in range(4):
            dist.all_reduce(t)


def halves(t):
    rank = dist.get_rank()
    if rank < 2:
        dist.all_reduce(t)
    if rank >= 2:
        dist.all_reduce(t)


def collect(t):
    rank = dist.get_rank()
    out = [torch.empty_like(t) for _ in range(dist.get_world_size())] if rank == 0 else None
    dist.gather(t, out, dst=0)
    if rank == 0:
        return torch.stack(out).mean()
    return None


def dispatch(plan):
    def lead():
        dist.broadcast_object_list([plan], src=0)

    def follow():
        dist.broadcast_object_list([None], src=0)

    {True: lead, False: follow}[dist.get_rank() == 0]()
