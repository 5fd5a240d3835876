"""Objects that a function hands out: what they answer is known by their class."""
import torch.distributed as dist


class Backend:
    def rank(self):
        return dist.get_rank()

    def size(self):
        return dist.get_world_size()


def get_backend():
    return Backend()


def asked_at_once(tensor):
    backend = get_backend()
    if backend.rank() == 0:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def kept_in_settings(args, tensor):
    args.backend = get_backend()
    args.verbose = True if args.backend.rank() == 0 else False
    if args.verbose:
        dist.barrier()  # error: [conditional-collective]


def asked_for_the_size(tensor):
    if get_backend().size() > 1:
        dist.all_reduce(tensor)
