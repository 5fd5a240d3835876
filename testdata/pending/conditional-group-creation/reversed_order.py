"""Every rank creates every group, in another order (P25)."""
import torch.distributed as dist


def reversed_on_odd():
    blocks = [[0, 1], [2, 3]]
    if dist.get_rank() % 2:
        blocks.reverse()
    for ranks in blocks:
        dist.new_group(ranks)  # error: [conditional-group-creation]


def rotated():
    blocks = [[0, 1], [2, 3]]
    start = dist.get_rank() // 2
    for ranks in blocks[start:] + blocks[:start]:
        dist.new_group(ranks)  # error: [conditional-group-creation]


def same_order():
    blocks = [[0, 1], [2, 3]]
    blocks.reverse()
    for ranks in blocks:
        dist.new_group(ranks)
