"""Of a question of several parts the one counts that ranks answer differently, whatever the others were made of."""
import os

import torch.distributed as dist


def steps_done(folder):
    if not os.path.isdir(folder):
        return 0
    return len(os.listdir(folder))


def save_on_one(settings, rank, every):
    step = steps_done(settings.folder)
    while True:
        step += 1
        if every is not None and step % every == 0 and rank == 0:
            dist.barrier()  # error: [conditional-collective]
            print("saved")


def save_on_all(settings, rank, every):
    step = 0
    while True:
        step += 1
        if every is not None and step % every == 0:
            dist.barrier()
            if rank == 0:
                print("saved")
