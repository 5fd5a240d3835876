"""Rows at the places where something holds are as many as there are such places."""
import torch
import torch.distributed as dist


def gather_found(model, rank):
    part = torch.load(f"part{rank}.pt")
    places = part["valid"].nonzero(as_tuple=True)[0]
    rows = model(part["features"])[places]
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)  # error: [unagreed-shape]
    return parts


def gather_first(model, rank, order):
    part = torch.load(f"part{rank}.pt")
    rows = model(part["features"])[order]
    parts = [torch.empty_like(rows) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, rows)
    return parts
