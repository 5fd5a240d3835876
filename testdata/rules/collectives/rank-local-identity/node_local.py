"""The rank within the node where it belongs."""
import os

import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler


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
