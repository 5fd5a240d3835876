"""A test knows which ranks there are."""
import torch.distributed as dist


def check_sums(tensor, count, group):
    dist.all_reduce(tensor, group=group)
    dist.all_reduce(count)  # low: [wrong-group]
