"""As many pieces as the ranks have agreed on, however much each has."""
import torch
import torch.distributed as dist


def in_pieces(rank, most):
    rows = torch.load(f"part{rank}.pt")
    count = torch.tensor((len(rows) + most - 1) // most)
    dist.all_reduce(count, op=dist.ReduceOp.MIN)
    for piece in torch.randperm(len(rows)).tensor_split(int(count.item())):
        dist.all_reduce(rows[piece].sum())
    for piece in torch.tensor_split(rows, 4):
        dist.all_reduce(piece.sum())


def in_pieces_of_its_own(items, rank, size):
    mine = items[rank::size]
    for piece in torch.randperm(len(mine)).tensor_split(len(mine)):
        dist.all_reduce(piece.sum())  # error: [divergent-loop]
