"""Who goes on begins a job of those who come there, of a size that it states."""
import os

import torch.distributed as dist


def one_of_each_replica(tp):
    if int(os.getenv("RANK", "0")) % tp != 0:
        exit(0)
    os.environ["RANK"] = str(int(os.environ["RANK"]) // tp)
    os.environ["WORLD_SIZE"] = str(int(os.environ["WORLD_SIZE"]) // tp)
    dist.init_process_group("nccl", world_size=int(os.environ["WORLD_SIZE"]), rank=int(os.environ["RANK"]))
    dist.barrier()  # low: [divergent-early-exit]


def one_of_each_node(args):
    if not dist.is_initialized():
        dist.init_process_group("gloo", world_size=args.nodes, rank=args.node_rank)
    return dist.new_group(ranks=list(range(args.nodes)))


def settings(args):
    if args.rank % 8 != 0:
        return
    one_of_each_node(args)  # low: [conditional-group-creation]


def some_of_the_job(tp):
    if int(os.getenv("RANK", "0")) % tp != 0:
        exit(0)
    world_size = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("nccl", world_size=world_size, rank=int(os.environ["RANK"]))
    dist.barrier()  # error: [divergent-early-exit]


def fit(args, loader):
    assert not args.distributed, "this is for one process"
    for batch in loader:
        if input("go on? ") != "y":
            return
        dist.barrier()  # low: [divergent-early-exit]


def fit_anywhere(args, loader):
    assert args.epochs, "nothing to do"
    for batch in loader:
        if input("go on? ") != "y":
            return
        dist.barrier()  # error: [divergent-early-exit]
