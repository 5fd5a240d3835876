"""A script that says how it is launched: on one node, or on several.

    torchrun --standalone --nproc_per_node=2 several_nodes.py
    torchrun --nnodes=2 --nproc_per_node=2 several_nodes.py
"""
import os

import torch.distributed as dist


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl", rank=local_rank, world_size=int(os.environ["WORLD_SIZE"]))  # error: [rank-local-identity]


def wrapped_by_nobody():
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl", rank=local_rank, world_size=int(os.environ["WORLD_SIZE"]))  # low: [rank-local-identity]


if __name__ == "__main__":
    main()
