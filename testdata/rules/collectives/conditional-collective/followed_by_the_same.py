"""The guarded collective is followed by the same operation: the guarded one is at fault, not the innocent one (P01)."""
import torch.distributed as dist


def step(norm, loss):
    if dist.get_rank() == 0:
        dist.all_reduce(norm)  # error: [conditional-collective]
    dist.all_reduce(loss)


def step_in_step(norm, loss):
    dist.all_reduce(norm)
    if dist.get_rank() == 0:
        print(norm)
    dist.all_reduce(loss)


def train(norm, loss, steps):
    for _ in range(steps):
        if dist.get_rank() == 0:
            dist.all_reduce(norm)  # error: [conditional-collective]
        dist.all_reduce(loss)


def drain(items, loss):
    for item in items[dist.get_rank() :: dist.get_world_size()]:
        dist.all_reduce(item)  # error: [divergent-loop]
    dist.all_reduce(loss)


def leave(norm, loss):
    if dist.get_rank() == 0:
        return
    dist.all_reduce(norm)  # error: [divergent-early-exit]
    dist.all_reduce(loss)
