"""A file that is opened to be written, by a mode that is named: one rank makes it while others have yet to ask."""
import torch.distributed as dist


def made_by_one(path):
    if not path.exists():
        if dist.get_rank() == 0:
            path.open(mode="w").close()
        dist.barrier()  # error: [conditional-collective]


def read_by_one(path):
    if not path.exists():
        if dist.get_rank() == 0:
            path.open(mode="r").close()
        dist.barrier()  # low: [conditional-collective]
