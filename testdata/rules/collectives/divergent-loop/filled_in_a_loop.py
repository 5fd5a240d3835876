"""Containers filled from this rank's share, entry by entry (P05, P20)."""
import torch.distributed as dist


def appended(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    mine = []
    for item in items[rank::world]:
        mine.append(item)
    for item in mine:
        dist.all_reduce(item)  # error: [divergent-loop]


def appended_in_step(items):
    everything = []
    for item in items:
        everything.append(item)
    for item in everything:
        dist.all_reduce(item)


def extra_key(metrics, extra):
    if dist.get_rank() == 0:
        metrics["wall_time"] = extra
    for name, value in metrics.items():
        dist.all_reduce(value)  # error: [divergent-loop]


def mapped(items):
    list(map(dist.all_reduce, items[dist.get_rank() :: 2]))  # error: [divergent-loop]
