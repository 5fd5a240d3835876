"""What stands at the top of a file that a launcher runs is done by each process."""
import argparse
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--folder")
parser.add_argument("--local_rank", type=int)
args = parser.parse_args()
if not os.path.exists(args.folder):
    os.mkdir(args.folder)  # error: [file-race]
if args.local_rank == 0:
    print("writing to", args.folder)


def main():
    dist.init_process_group("gloo")
    dist.barrier()


if __name__ == "__main__":
    main()
