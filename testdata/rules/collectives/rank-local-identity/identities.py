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


# What stays quiet.


def devices(model):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    print(f"rank {local_rank} on {device}")
    return torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank], output_device=local_rank)


def node_local(items, local_rank, local_world_size):
    mine = items[local_rank::local_world_size]
    sampler = DistributedSampler(items, num_replicas=torch.cuda.device_count(), rank=local_rank)
    return mine, sampler


def one_node(local_rank):
    dist.init_process_group("nccl", rank=local_rank, world_size=torch.cuda.device_count())


def rank_of_the_job(t, local_rank, node_rank, local_world_size, world_size):
    rank = node_rank * local_world_size + local_rank
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    dist.send(t, dst=(node_rank * local_world_size + local_rank + 1) % world_size)


def a_name_is_only_a_name(items):
    local_rank = dist.get_rank()
    return items[local_rank :: dist.get_world_size()]


def by_the_rank(items, rank, world_size):
    return items[rank::world_size], DistributedSampler(items, num_replicas=world_size, rank=rank)


def download(path):
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if local_rank == 0:
        fetch(path)
    dist.barrier()


def fetch(path):
    print(path)


def within_a_mesh(mesh, items, world_size):
    return items[mesh.get_local_rank() :: world_size]
