"""The same, in a job: each rank writes."""

import torch
import torch.distributed as dist


def setup():
    dist.init_process_group("nccl")


def count(lengths):
    if dist.is_initialized():
        found = [None] * dist.get_world_size()
        dist.all_gather_object(found, lengths)
        lengths = [length for part in found for length in part]
    return sum(lengths)


def main():
    setup()
    total = count([1, 2, 3])
    torch.save({"total": total}, "stats.pt")  # error: [write-race]


if __name__ == "__main__":
    main()
