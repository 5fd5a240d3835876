"""Functions that bind a variable on the first rank alone, and who calls them."""
import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


def board(folder):
    if dist.get_rank() == 0:
        writer = SummaryWriter(folder)
    return writer


def board_of_all(folder):
    if dist.get_rank() == 0:
        writer = SummaryWriter(folder)
    return writer  # error: [bound-on-one-rank]


def train(settings, model):
    rank = dist.get_rank()
    if rank == 0:
        writer = board(settings.folder)
        other = board_of_all(settings.folder)
    else:
        writer = other = None
    dist.barrier()
    return model(writer, other)


def evaluate(settings):
    written = board_of_all(settings.folder)
    total = torch.zeros(1)
    dist.all_reduce(total)
    return written
