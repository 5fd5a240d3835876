"""A variable of the module that begins as nothing and that a function sets on one rank only."""
import torch.distributed as dist

_WRITER = None
_SETTINGS = None


def get_writer():
    return _WRITER


def get_settings():
    return _SETTINGS


def set_up(args):
    global _WRITER, _SETTINGS
    if args.rank == args.world_size - 1:
        _WRITER = Writer(args.path)
    if args.settings:
        _SETTINGS = Settings(args.settings)


def finish(args, writer):
    if writer is None:
        return
    dist.barrier()
    writer.close()


def train(args):
    writer = get_writer()
    finish(args, writer)  # error: [divergent-early-exit]


def train_with_settings(args):
    finish(args, get_settings())
