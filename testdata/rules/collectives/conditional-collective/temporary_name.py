"""A temporary name is another one on each rank, and there on all of them."""
import tempfile

import torch.distributed as dist


def save(path, model, upload):
    held = None
    if path.startswith("gs://"):
        held = tempfile.mkdtemp()  # low: [stdlib-tempfile]
    model.write(held or path)
    if held is not None:
        upload(held, path)
        dist.barrier()


def save_some(path, model, upload):
    held = None
    if dist.get_rank() % 2 == 0:
        held = tempfile.mkdtemp()  # low: [stdlib-tempfile]
    if held is not None:
        upload(held, path)
        dist.barrier()  # error: [conditional-collective]
