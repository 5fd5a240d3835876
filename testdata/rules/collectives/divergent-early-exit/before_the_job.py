"""What starts the ranks asks its questions before there are any; what it has them run it also runs by itself."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, args):
    dist.init_process_group("nccl", rank=rank, world_size=args.world_size)
    dist.barrier()
    dist.destroy_process_group()


def main(args):
    if os.path.exists(args.log_path):
        print("there is a run of this name already")
        return
    os.makedirs(args.log_path)
    args.world_size = torch.cuda.device_count()
    if args.distributed:
        mp.spawn(worker, nprocs=args.world_size, args=(args,))
    else:
        worker(0, args)  # low: [divergent-early-exit]


def started_by_others(args):
    if os.path.exists(args.log_path):
        print("there is a run of this name already")
        return
    os.makedirs(args.log_path, exist_ok=True)
    worker(int(os.environ["RANK"]), args)  # error: [divergent-early-exit]
