"""What every rank fetches to one folder: one of them opens what another is still writing."""
import os
import shutil
import urllib.request

import torch
import torch.distributed as dist
import torchvision
from torchvision import datasets
from torchvision.datasets.utils import download_and_extract_archive


def train(root, steps):
    dist.init_process_group("nccl")
    data = datasets.CIFAR10(root, train=True, download=True)  # error: [write-race]
    for _ in range(steps):
        dist.all_reduce(torch.ones(len(data)))


def train_where_it_is(root):
    dist.init_process_group("nccl")
    data = datasets.CIFAR10(root, train=True, download=False)
    dist.all_reduce(torch.ones(len(data)))
    return datasets.MNIST(root)


def train_in_step(root):
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        datasets.CIFAR10(root, download=True)
    dist.barrier()
    return datasets.CIFAR10(root, train=True, download=True)


def train_in_turn(root, rank):
    dist.init_process_group("nccl")
    if rank != 0:
        dist.barrier()
    data = datasets.CIFAR10(root, download=True)
    if rank == 0:
        dist.barrier()
    return data


def train_apart(root, rank):
    dist.init_process_group("nccl")
    return torchvision.datasets.MNIST(os.path.join(root, f"rank{rank}"), download=True)


def unpack(url, folder):
    dist.barrier()
    if not os.path.exists(folder):
        download_and_extract_archive(url, download_root=folder)  # error: [write-race]


def fetch(url, archive, folder):
    dist.barrier()
    if not os.path.exists(archive):
        urllib.request.urlretrieve(url, archive)  # error: [write-race]
        shutil.unpack_archive(archive, folder)


def data_of(root):
    return datasets.SVHN(root, download=True)


def prepared_elsewhere(root):
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        data_of(root)
    dist.barrier()
    return data_of(root)


def show(root):
    return datasets.FashionMNIST(root, download=True)


def prepared_by_its_caller(root):
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        download_everything(root)
    dist.barrier()
    return opened(root)


def opened(root):
    dist.barrier()
    return datasets.STL10(root, download=True)


def download_everything(root):
    print(root)
