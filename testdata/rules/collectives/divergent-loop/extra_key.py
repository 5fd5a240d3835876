"""Keys that one rank adds to a dictionary made here (P20)."""
import torch
import torch.distributed as dist


def extra_key_new(loss, extra):
    metrics = {"loss": loss}
    if dist.get_rank() == 0:
        metrics["wall_time"] = extra
    for name in sorted(metrics):
        dist.all_reduce(metrics[name])  # error: [divergent-loop]


def extra_key_in_step(loss, extra):
    metrics = {"loss": loss}
    metrics["wall_time"] = extra if dist.get_rank() == 0 else torch.zeros(1)
    for name in sorted(metrics):
        dist.all_reduce(metrics[name])
