"""The rank within the node is not the rank of the job."""
import itertools
import os

import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler


def join():
    rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))  # error: [rank-local-identity]


def join_without_size(args):
    dist.init_process_group("nccl", rank=args.local_rank)  # error: [rank-local-identity]


def spawned(local_rank, world_size):
    dist.init_process_group("nccl", rank=local_rank, world_size=world_size)  # low: [rank-local-identity]


def shares(items, local_rank):
    world_size = dist.get_world_size()
    mine = items[local_rank::world_size]  # error: [rank-local-identity]
    for index in range(local_rank, len(items), world_size):  # error: [rank-local-identity]
        mine.append(items[index])
    mine.extend(itertools.islice(items, local_rank, None, world_size))  # error: [rank-local-identity]
    return [item for item in mine if item.id % world_size == local_rank]  # error: [rank-local-identity]


def samplers(data, local_rank, world_size):
    one = DistributedSampler(data, rank=local_rank)  # error: [rank-local-identity]
    other = DistributedSampler(data, num_replicas=world_size, rank=torch.cuda.current_device())  # error: [rank-local-identity]
    return one, other, data.shard(num_shards=world_size, index=local_rank)  # error: [rank-local-identity]


def neighbours(t, local_rank):
    dist.send(t, dst=local_rank + 1)  # error: [rank-local-identity]


def stores(host, world_size, local_rank):
    return dist.TCPStore(host, 29500, world_size, is_master=local_rank == 0)  # error: [rank-local-identity]


def writes(model, local_rank):
    if local_rank == 0:
        torch.save(model.state_dict(), "model.pt")  # low: [rank-local-identity]


class OnItsNode:
    def __init__(self, is_ddp):
        self.is_ddp = is_ddp
        self.local_rank = 0 if not is_ddp else int(os.environ["LOCAL_RANK"])

    def keys(self, names):
        return names[self.local_rank :: dist.get_world_size()] if self.is_ddp else names  # error: [rank-local-identity]


def log():
    print(f"rank {dist.get_rank()} of the job")
