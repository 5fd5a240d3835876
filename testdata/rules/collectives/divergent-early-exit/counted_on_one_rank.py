"""A number that only the first rank counts comes back from a function that is given a rank by that name."""
import torch.distributed as dist


def validate(rank, loss, best, stale):
    if rank == 0:
        if loss < best:
            best = loss
            stale = 0
        else:
            stale += 1
    return best, stale


def train(rank, steps, step, patience):
    best, stale = float("inf"), 0
    for _ in range(steps):
        loss = step()
        dist.all_reduce(loss)  # error: [divergent-early-exit]
        best, stale = validate(rank, loss.item(), best, stale)
        if stale > patience:
            break


def validate_everywhere(loss, best, stale):
    return (loss, 0) if loss < best else (best, stale + 1)


def train_in_step(steps, step, patience):
    best, stale = float("inf"), 0
    for _ in range(steps):
        loss = step()
        dist.all_reduce(loss)
        best, stale = validate_everywhere(loss.item(), best, stale)
        if stale > patience:
            break
