"""What stands at the top of a file that starts its processes itself has been done when they come there."""
import argparse
import os

import torch.distributed as dist
import torch.multiprocessing as mp

parser = argparse.ArgumentParser()
parser.add_argument("--folder")
parser.add_argument("--local_rank", type=int)
args = parser.parse_args()
if not os.path.exists(args.folder):
    os.mkdir(args.folder)
if args.local_rank == 0:
    print("writing to", args.folder)


def worker(rank, size):
    dist.init_process_group("gloo", rank=rank, world_size=size)
    dist.barrier()


def main():
    mp.spawn(worker, args=(4,), nprocs=4)


if __name__ == "__main__":
    main()
