"""What a function puts into an attribute of what it hands over is known where that asks for it, whatever its name."""
import torch.distributed as dist


def train(args, tensor):
    if args.chief:
        dist.all_reduce(tensor)


def train_by_name(args, tensor):
    if args.gpu == 0:
        dist.all_reduce(tensor)


def train_alike(args, tensor):
    if args.verbose:
        dist.all_reduce(tensor)


def main(args, tensor):
    args.chief = dist.get_rank() == 0
    args.gpu = dist.get_rank()
    args.verbose = True
    train(args, tensor)  # error: [conditional-collective]
    train_by_name(tensor=tensor, args=args)  # error: [conditional-collective]
    train_alike(args, tensor)
