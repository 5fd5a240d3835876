"""The rank of the job as the number of a device, whatever kind of device it is."""

import os

import torch
import torch.distributed as dist


def chosen_by_the_rank():
    kind = torch.accelerator.current_accelerator()
    return torch.device(f"{kind}:{dist.get_rank()}")  # error: [rank-local-identity]


def chosen_by_the_rank_of_the_node():
    kind = torch.accelerator.current_accelerator()
    return torch.device(f"{kind}:{int(os.environ['LOCAL_RANK'])}")
