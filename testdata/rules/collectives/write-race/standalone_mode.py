"""Where one arm asks for the rank, the other one is for a single process."""

import torch
import torch.distributed as dist


def train(model, args, rank):
    dist.init_process_group("gloo")
    total = torch.zeros(1)
    dist.all_reduce(total)
    if not args.standalone:
        if rank == 0:
            torch.save(model.state_dict(), "model.pt")
    else:
        torch.save(model.state_dict(), "model.pt")  # low: [write-race]


def train_and_tell(model, args):
    dist.init_process_group("gloo")
    total = torch.zeros(1)
    dist.all_reduce(total)
    if args.verbose:
        print(total)
    else:
        torch.save(model.state_dict(), "model.pt")  # error: [write-race]
