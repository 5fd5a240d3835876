"""A name says what a number is only where nothing else does: here it is given the rank of the job."""
import os

import torch
import torch.distributed as dist


def setup(args):
    local_rank = int(os.getenv("RANK", 0))
    args.local_rank = local_rank
    dist.init_process_group("nccl", rank=local_rank, world_size=args.world_size)


def generate(args, prompts):
    for index, prompt in enumerate(prompts):
        if index % args.world_size != args.local_rank:
            continue
        print(prompt)


class Trainer:
    def __init__(self, is_ddp):
        self.is_ddp = is_ddp
        self.local_rank = 0 if not is_ddp else dist.get_rank()

    def keys(self, names):
        return names[self.local_rank :: dist.get_world_size()] if self.is_ddp else names


def loader(dataset, local_rank):
    sampler = torch.utils.data.DistributedSampler(dataset, num_replicas=dist.get_world_size(), rank=local_rank)
    assert local_rank == dist.get_rank(), "one node alone"
    return torch.utils.data.DataLoader(dataset, sampler=sampler)


def shares(dataset, world_size, local_rank):
    return torch.utils.data.DistributedSampler(dataset, num_replicas=world_size, rank=local_rank)


def shares_on_a_node(dataset, world_size, local_rank):
    return torch.utils.data.DistributedSampler(dataset, num_replicas=world_size, rank=local_rank)  # low: [rank-local-identity]


def shares_of_whoever_runs_it(local_rank, dataset, world_size):
    return torch.utils.data.DistributedSampler(dataset, num_replicas=world_size, rank=local_rank)  # low: [rank-local-identity]


def prepare(accelerator, dataset, world_size):
    torch.multiprocessing.spawn(fn=shares_of_whoever_runs_it, args=(dataset, world_size), nprocs=8)
    shares_of_whoever_runs_it(0, dataset, world_size)
    shares_on_a_node(dataset, world_size, int(os.environ["LOCAL_RANK"]))
    return shares(dataset, world_size=accelerator.num_processes, local_rank=accelerator.process_index)
