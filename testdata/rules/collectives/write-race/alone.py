"""Scripts of one process, which use what communicates where there are peers: nothing here joins a job."""

import torch
import torch.distributed as dist


def is_dist_initialized():
    return dist.is_available() and dist.is_initialized()


def count(lengths):
    if is_dist_initialized():
        found = [None] * dist.get_world_size()
        dist.all_gather_object(found, lengths)
        lengths = [length for part in found for length in part]
    return sum(lengths)


def main():
    total = count([1, 2, 3])
    torch.save({"total": total}, "stats.pt")  # low: [write-race]


if __name__ == "__main__":
    main()
