"""One command joins the job; who comes by another one has not."""
import os

import torch
import torch.distributed as dist


def train(folder):
    dist.init_process_group("nccl")
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]


def freeze(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)


def pack(weights, path):
    torch.save(weights, path)


def main(arguments):
    if arguments.command == "train":
        train(arguments.folder)
    elif arguments.command == "freeze":
        freeze(arguments.folder)
        pack(arguments.weights, arguments.path)


if __name__ == "__main__":
    main(None)
