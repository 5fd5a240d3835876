"""A manager that ends the job on its way out, behind what its body does."""
from contextlib import contextmanager

import torch.distributed as dist


def leave():
    if dist.is_initialized():
        dist.destroy_process_group()


@contextmanager
def job(make):
    dist.init_process_group("nccl")
    try:
        trainer = make()
        yield trainer
        dist.barrier()
    finally:
        leave()  # error: [collective-in-handler]


@contextmanager
def first_rank_first():
    if dist.get_rank() != 0:
        dist.barrier()
    try:
        yield
    finally:
        if dist.get_rank() == 0:
            dist.barrier()


@contextmanager
def job_that_ends_well(make):
    dist.init_process_group("nccl")
    trainer = make()
    yield trainer
    dist.barrier()
    dist.destroy_process_group()
