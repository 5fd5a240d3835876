"""A tool that one process runs, by its name."""
import os

import torch.distributed as dist


def main():
    dist.init_process_group("nccl", rank=int(os.environ["LOCAL_RANK"]))  # low: [rank-local-identity]


if __name__ == "__main__":
    main()
