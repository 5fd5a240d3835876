import torch.distributed as dist


def save():
    if dist.get_rank() == 0:
        dist.barrier()  # error: [conditional-collective]
