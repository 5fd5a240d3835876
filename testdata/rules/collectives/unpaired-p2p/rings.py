"""Rings and neighbours (P29)."""
import torch
import torch.distributed as dist


def send_first(block, other):
    rank, size = dist.get_rank(), dist.get_world_size()
    dist.send(block, (rank + 1) % size)  # error: [unpaired-p2p]
    dist.recv(other, (rank - 1) % size)


def receive_first(block, other):
    rank, size = dist.get_rank(), dist.get_world_size()
    dist.recv(other, (rank - 1) % size)  # error: [unpaired-p2p]
    dist.send(block, (rank + 1) % size)


def pair_receives_first(block, other, rank):
    dist.recv(other, src=1 - rank)  # error: [unpaired-p2p]
    dist.send(block, dst=1 - rank)


# Two ranks are each other's neighbours on both sides: as a job of two it is right, and of no other size.
def from_the_wrong_side(block, other, rank, world_size):
    request = dist.isend(block, dst=(rank + 1) % world_size)
    dist.recv(other, src=(rank + 1) % world_size)  # error: [unpaired-p2p]
    request.wait()


def from_the_wrong_side_of_a_chain(block, other, rank, world_size):
    if rank + 1 < world_size:
        request = dist.isend(block, dst=rank + 1)
        dist.recv(other, src=rank + 1)  # error: [unpaired-p2p]
        request.wait()


def even_and_odd(block, other, rank, world_size):
    if rank % 2 == 0:
        dist.send(block, (rank + 1) % world_size)
        dist.recv(other, (rank - 1) % world_size)
    else:
        dist.recv(other, (rank - 1) % world_size)
        dist.send(block, (rank + 1) % world_size)


def first_rank_breaks_the_circle(block, other, rank, world_size):
    if rank == 0:
        dist.send(block, dst=1)
        dist.recv(other, src=world_size - 1)
    else:
        dist.recv(other, src=rank - 1)
        dist.send(block, dst=(rank + 1) % world_size)


def not_blocking(block, other, rank, world_size):
    request = dist.isend(block, (rank + 1) % world_size)
    dist.recv(other, (rank - 1) % world_size)
    request.wait()


def receive_posted_first(block, other, rank, world_size):
    request = dist.irecv(other, src=(rank - 1) % world_size)
    dist.send(block, dst=(rank + 1) % world_size)
    request.wait()


def batched(block, other, rank, world_size):
    ops = [
        dist.P2POp(dist.isend, block, (rank + 1) % world_size),
        dist.P2POp(dist.irecv, other, (rank - 1) % world_size),
    ]
    for request in dist.batch_isend_irecv(ops):
        request.wait()


class Ring:
    def __init__(self):
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()
        self.after = (self.rank + 1) % self.size
        self.before = (self.rank - 1) % self.size

    def turn(self, block):
        other = torch.empty_like(block)
        dist.send(block, self.after)  # error: [unpaired-p2p]
        dist.recv(other, self.before)
        return other

    def turn_in_step(self, block):
        other = torch.empty_like(block)
        request = dist.isend(block, self.after)
        dist.recv(other, self.before)
        request.wait()
        return other
