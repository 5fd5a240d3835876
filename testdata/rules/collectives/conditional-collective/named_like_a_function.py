"""A function is there: what asks for it by mistake asks for nothing."""
import torch.distributed as dist


def evaluate(model):
    return model


def load(args, mode):
    if args.local_rank not in [-1, 0] and not evaluate:
        dist.barrier()
    if args.local_rank == 0 and evaluate == "train":
        dist.barrier()
    return mode


def load_where_it_is_said(args, evaluating):
    if args.local_rank not in [-1, 0] and not evaluating:
        dist.barrier()  # error: [conditional-collective]
