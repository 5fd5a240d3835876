import torch.distributed as dist


def on_main_process():
    return dist.get_rank() == 0


def on_rank0():
    return dist.get_rank() == 0


def only_rank_0():
    return dist.get_rank() == 0
