"""Clean-up that needs no peer."""

import shutil

import torch
import torch.distributed as dist


def train(batches, total, folder):
    try:
        for batch in batches:
            total += batch
            dist.all_reduce(total)
        torch.save(total, folder + "/total.pt")
    except Exception as error:
        print("failed", error)
        raise
    finally:
        shutil.rmtree(folder + "/tmp")
    dist.barrier()
    dist.destroy_process_group()


def optional_backend(total):
    try:
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
    except RuntimeError:
        dist.all_reduce(total)
        total /= dist.get_world_size()
