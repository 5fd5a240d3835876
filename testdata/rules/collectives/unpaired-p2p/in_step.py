"""Pairs, chains and trees whose messages arrive, or of which too little is known (P29)."""
import torch.distributed as dist


def pair(chunk, rank):
    if rank == 0:
        dist.send(chunk, dst=1)
    elif rank == 1:
        dist.recv(chunk, src=0)


def fan_out(chunk, rank, world_size):
    if rank == 0:
        for peer in range(1, world_size):
            dist.send(chunk, dst=peer)
    else:
        dist.recv(chunk, src=0)


def fan_in(chunk, rank, world_size):
    if rank == 0:
        requests = [dist.irecv(chunk, src=peer) for peer in range(1, world_size)]
        for request in requests:
            request.wait()
    else:
        dist.send(chunk, dst=0)


def chain(chunk, rank, world_size):
    if rank > 0:
        dist.recv(chunk, src=rank - 1)
    if rank < world_size - 1:
        dist.send(chunk, dst=rank + 1)


def binomial_tree(chunk, rank, world_size):
    mask = 1
    while mask < world_size:
        if rank & mask:
            dist.send(chunk, dst=rank ^ mask)
            break
        if rank | mask < world_size:
            dist.recv(chunk, src=rank | mask)
        mask <<= 1


def for_every_batch(loader, chunk, rank):
    for _ in loader:
        if rank == 0:
            dist.send(chunk, dst=1)
        elif rank == 1:
            dist.recv(chunk, src=0)


def two_ranks_only(chunk, other, rank, world_size):
    if world_size != 2:
        raise ValueError("a pair, please")
    if rank == 0:
        dist.send(chunk, dst=1)
        dist.recv(other, src=1)
    else:
        dist.recv(other, src=0)
        dist.send(chunk, dst=0)


def nobody_knows(chunk, other, peer, group, rank):
    dist.send(chunk, dst=peer)
    dist.recv(other, src=peer)
    dist.send(chunk, dst=rank ^ 1, group=group)
    dist.recv(other, src=rank ^ 1, group=group)


def nobody_knows_when(chunk, other, rank, world_size, wanted):
    if wanted[rank]:
        dist.send(chunk, dst=(rank + 1) % world_size)
    dist.recv(other, src=(rank - 1) % world_size)


class Stage:
    """The two ends are called on different ranks, by somebody else."""

    def __init__(self):
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()

    def forward(self, chunk):
        dist.send(chunk, dst=self.rank + 1)

    def serve(self, chunk):
        for peer in range(1, self.size):
            dist.recv(chunk, src=peer)
            dist.send(chunk, dst=peer)

    def ask(self, chunk):
        dist.send(chunk, dst=0)
        dist.recv(chunk, src=0)

    def run(self, chunk):
        if self.rank == 0:
            self.serve(chunk)
        else:
            self.ask(chunk)


def send_to(chunk, peer):
    dist.send(chunk, dst=peer)


def receive_from(chunk, peer):
    dist.recv(chunk, src=peer)


def through_helpers_in_step(chunk, rank):
    if rank == 0:
        send_to(chunk, 1)
    elif rank == 1:
        receive_from(chunk, 0)
