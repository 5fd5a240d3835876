"""What is made of a path is the same path: a folder that the script has made is there."""
import argparse
from pathlib import Path

import torch.distributed as dist


def main(args):
    dist.init_process_group("nccl")
    dist.barrier()
    output_dir = Path(args.output_dir)
    if not output_dir.exists():
        output_dir.mkdir(parents=True)
    log_dir = Path(args.log_dir)
    if not log_dir.exists():
        log_dir.mkdir(parents=True)  # error: [file-race]


if __name__ == "__main__":
    args = argparse.ArgumentParser().parse_args()
    if args.output_dir:
        Path(args.output_dir).mkdir(parents=True, exist_ok=True)
    main(args)
