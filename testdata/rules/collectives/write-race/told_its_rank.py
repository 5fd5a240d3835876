"""Scripts that tell themselves their rank, which is the same whoever runs them: there is one process."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def sample(arguments, rank, port):
    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = str(arguments.processes)
    dist.init_process_group("nccl")
    if rank == 0:
        print(arguments)
    torch.save([port], arguments.samples)
    dist.barrier()


def sample_on_all(arguments, rank, port):
    dist.init_process_group("nccl", rank=rank, world_size=arguments.processes)
    if rank == 0:
        print(arguments)
    torch.save([port], arguments.all_samples)  # error: [write-race]
    dist.barrier()


def sample_on_each(arguments, rank):
    dist.init_process_group("nccl", rank=rank, world_size=arguments.processes)
    if rank == 0:
        print(arguments)
    torch.save([], arguments.each_sample)  # error: [write-race]
    dist.barrier()


def sample_on_two(arguments, rank):
    dist.init_process_group("nccl", rank=rank, world_size=2)
    if rank == 0:
        print(arguments)
    torch.save([], arguments.two_samples)  # error: [write-race]
    dist.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples")
    parsed = parser.parse_args()
    sample(parsed, 0, 29500)
    if parsed.debugs:
        sample_on_all(parsed, 0, 29500)
    mp.spawn(sample_on_all, args=(parsed,), nprocs=parsed.processes)
    sample_on_each(parsed, parsed.rank)
    if parsed.is_second:
        sample_on_two(parsed, 1)
    else:
        sample_on_two(parsed, 0)
