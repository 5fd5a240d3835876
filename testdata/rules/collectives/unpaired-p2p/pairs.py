"""Pairs, chains, counts (P29, P30)."""
import torch.distributed as dist


def too_few(chunk, rank):
    if rank == 0:
        for _ in range(2):
            dist.send(chunk, dst=1)
    elif rank == 1:
        for _ in range(3):
            dist.recv(chunk, src=0)  # error: [unpaired-p2p]


def too_many(chunk, rank):
    if rank == 0:
        for _ in range(3):
            dist.send(chunk, dst=1)  # error: [unpaired-p2p]
    elif rank == 1:
        dist.recv(chunk, src=0)
        dist.recv(chunk, src=0)


def to_all_but_received_by_some(chunk, rank, world_size):
    if rank == 0:
        for peer in range(1, world_size):
            dist.send(chunk, dst=peer)  # error: [unpaired-p2p]
    elif rank % 2 == 0:
        dist.recv(chunk, src=0)


def send_to(chunk, peer):
    dist.send(chunk, dst=peer)


def receive_from(chunk, peer):
    dist.recv(chunk, src=peer)  # error: [unpaired-p2p]


def through_helpers(chunk, rank):
    if rank == 0:
        send_to(chunk, 1)
    elif rank == 1:
        receive_from(chunk, 2)
