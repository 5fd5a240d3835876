"""The guard and the collective stand in the callee; its caller comes first in the file and is innocent (P10)."""
import torch.distributed as dist


def main(loss):
    log(loss)
    dist.barrier()


def evaluate(loss):
    log(loss)


def log(loss):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


def log_in_step(loss):
    dist.all_reduce(loss)
    if dist.get_rank() == 0:
        print(loss.item())
