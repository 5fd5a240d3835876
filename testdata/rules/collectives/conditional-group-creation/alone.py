"""A group of this rank alone is made without a word to the others."""
import torch.distributed as dist


def alone():
    return dist.new_group(ranks=[dist.get_rank()])


def pairs():
    first = dist.get_rank() // 2 * 2
    return dist.new_group(ranks=[first, first + 1])  # error: [conditional-group-creation]
