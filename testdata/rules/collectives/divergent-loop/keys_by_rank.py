"""A dictionary that has another key on one rank (P20)."""
import torch.distributed as dist


def one_key_more(rank, t):
    metrics = {"loss": 1.0}
    if rank == 2:
        metrics["rare"] = 3.0
    for _ in sorted(metrics):
        dist.all_reduce(t)  # error: [divergent-loop]


def one_pair_more(rank, t):
    metrics = {"loss": 1.0}
    if rank == 2:
        metrics["rare"] = 3.0
    for _, value in metrics.items():
        dist.all_reduce(value)  # error: [divergent-loop]


def another_value(rank, t):
    metrics = {"loss": 1.0, "rare": 0.0}
    if rank == 2:
        metrics["rare"] = 3.0
    for _ in sorted(metrics):
        dist.all_reduce(t)


def a_key_for_everybody(rank, t, verbose):
    metrics = {"loss": 1.0}
    if verbose:
        metrics["rare"] = 3.0
    for _ in metrics:
        dist.all_reduce(t)


def one_name_or_the_other(rank, t):
    metrics = {"loss": 1.0}
    if rank == 0:
        metrics["first"] = 1.0
    else:
        metrics["rest"] = 1.0
    for _ in metrics:
        dist.all_reduce(t)
