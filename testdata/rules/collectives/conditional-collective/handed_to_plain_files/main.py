"""A wrapped model, handed to functions of files that have no word of the trade."""
import torch
import torch.distributed as dist
from common import evaluate
from lookers import describe


def main(net):
    model = torch.nn.parallel.DistributedDataParallel(net)
    if dist.get_rank() == 0:
        evaluate(model)  # error: [conditional-collective]
    dist.barrier()


def main_bare(net):
    if dist.get_rank() == 0:
        evaluate(net)
    dist.barrier()


def main_looking(net):
    model = torch.nn.parallel.DistributedDataParallel(net)
    if dist.get_rank() == 0:
        describe(model)
    dist.barrier()
