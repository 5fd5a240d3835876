"""A script that may as well be run on one process: nothing in it speaks of ranks, or joins a job."""
import torch.distributed as dist
from torchvision.datasets import CIFAR10


def opened(root):
    return CIFAR10(root, download=True)  # low: [write-race]


def main():
    data = opened("data")
    dist.all_reduce(data)
