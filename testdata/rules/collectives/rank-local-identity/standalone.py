"""A script that says how it is launched: on one node alone.

    torchrun --standalone --nnodes=1 --nproc_per_node=2 standalone.py
"""
import os

import torch.distributed as dist


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl", rank=local_rank, world_size=int(os.environ["WORLD_SIZE"]))


if __name__ == "__main__":
    main()
