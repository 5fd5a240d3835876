"""What one rank writes, and the others read once it is there, or do not read at all."""
import os

import torch
import torch.distributed as dist


def in_turn(model, path):
    if dist.get_rank() == 0:
        torch.save(model, path)
    dist.barrier()
    return torch.load(path)


def in_both_arms(model, path):
    if dist.get_rank() == 0:
        torch.save(model, path)
        dist.barrier()
    else:
        dist.barrier()
    return torch.load(path)


def by_what_is_reduced(model, path, seen):
    if dist.get_rank() == 0:
        torch.save(model, path)
    dist.all_reduce(seen)
    return torch.load(path)


def where_it_is(model, path):
    if dist.get_rank() == 0:
        torch.save(model, path)
    if os.path.exists(path):
        return torch.load(path)
    return model


def another(model, path, step):
    if dist.get_rank() == 0:
        torch.save(model, path)
    path = f"{path}.{step}"
    return torch.load(path)


def each_its_own(parts, folder):
    rank = dist.get_rank()
    path = os.path.join(folder, f"rank{rank}.pt")
    if rank == 0:
        torch.save(parts, path)
    return torch.load(path)


def by_the_first_alone(model, path, rank):
    if rank == 0:
        torch.save(model, path)
        return torch.load(path)
    return model


def in_the_other_arm(model, path, rank, resumes):
    if resumes:
        return torch.load(path)
    elif rank == 0:
        torch.save(model, path)
    return model


def by_all(parts, folder):
    os.makedirs(folder, exist_ok=True)
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    torch.save(parts, os.path.join(folder, f"part-{dist.get_rank()}.pt"))


def made_within(parts, folder):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    inner = os.path.join(folder, f"rank-{dist.get_rank()}")
    os.makedirs(inner, exist_ok=True)
    torch.save(parts, os.path.join(inner, "part.pt"))


def by_others(model, path, rank, shared):
    if rank == 0 or shared:
        torch.save(model, path)
    return torch.load(path)
