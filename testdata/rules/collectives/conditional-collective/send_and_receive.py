"""Point-to-point pairs under rank guards are no collectives (P29)."""
import torch
import torch.distributed as dist


def pair(t):
    rank = dist.get_rank()
    if rank == 0:
        dist.send(t, dst=1)
    elif rank == 1:
        dist.recv(t, src=0)


def ring(t):
    rank, world = dist.get_rank(), dist.get_world_size()
    out = torch.empty_like(t)
    if rank % 2 == 0:
        dist.send(t, (rank + 1) % world)
        dist.recv(out, (rank - 1) % world)
    else:
        dist.recv(out, (rank - 1) % world)
        dist.send(t, (rank + 1) % world)
    return out


def batched(t, out):
    rank, world = dist.get_rank(), dist.get_world_size()
    ops = [
        dist.P2POp(dist.isend, t, (rank + 1) % world),
        dist.P2POp(dist.irecv, out, (rank - 1) % world),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
