"""The library makes a group on some ranks only: that is said here, once."""
import torch.distributed as dist


def gather(latents):
    if dist.get_rank() == 0:
        group = dist.new_group([0, 1])  # error: [conditional-group-creation]
        return group
    return latents


def made_by(is_rank_zero):
    if is_rank_zero:
        return dist.new_group([0, 1])  # error: [conditional-group-creation]
    return None
