"""A test knows which ranks there are."""
import torch.distributed as dist


def check_sums(tensor, group):
    dist.all_reduce(tensor, group=group)
    dist.all_reduce(tensor)  # low: [wrong-group]
