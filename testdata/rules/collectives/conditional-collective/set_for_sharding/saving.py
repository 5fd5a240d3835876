"""Saves by the engine where there is one, else on the first rank of each replica."""
import torch
import torch.distributed as dist


def is_first():
    if dist.is_initialized():
        return dist.get_rank() == 0
    return True


def save(args, model, tag):
    if args.deepspeed:
        model.save_checkpoint(args.out, tag, client_state={})
    elif is_first():
        torch.save(model.state_dict(), args.out)
