"""Batches whose number is rounded up to a multiple of the ranks: each takes every so-manieth, and all take as many."""
import torch
import torch.distributed as dist


def generate(seeds, max_batch_size):
    num_batches = ((len(seeds) - 1) // (max_batch_size * dist.get_world_size()) + 1) * dist.get_world_size()
    all_batches = torch.as_tensor(seeds).tensor_split(num_batches)
    rank_batches = all_batches[dist.get_rank() :: dist.get_world_size()]
    for batch in rank_batches:
        dist.barrier()
        print(batch)


def generate_without_rounding(seeds, max_batch_size):
    num_batches = (len(seeds) - 1) // max_batch_size + 1
    all_batches = torch.as_tensor(seeds).tensor_split(num_batches)
    rank_batches = all_batches[dist.get_rank() :: dist.get_world_size()]
    for batch in rank_batches:
        dist.barrier()  # error: [divergent-loop]
        print(batch)


def generate_in_chunks(seeds, max_batch_size):
    # A tensor of fewer elements gives fewer chunks.
    num_batches = ((len(seeds) - 1) // (max_batch_size * dist.get_world_size()) + 1) * dist.get_world_size()
    all_batches = torch.as_tensor(seeds).chunk(num_batches)
    for batch in all_batches[dist.get_rank() :: dist.get_world_size()]:
        dist.barrier()  # error: [divergent-loop]
        print(batch)
