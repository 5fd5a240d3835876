"""What was left in a script and is called by nobody (P14)."""

import torch.distributed as dist


def report(loss):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # low: [conditional-collective]


def report_all(loss):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


if __name__ == "__main__":
    dist.init_process_group("nccl")
    report_all(0)
