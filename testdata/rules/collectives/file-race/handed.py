"""What callers hand decides: a switch that only one rank turns on, or that nobody does, and paths of their own."""
import os
import shutil

import torch.distributed as dist


def by_one(folder, clear=False):
    if clear and os.path.exists(folder):
        shutil.rmtree(folder)


def start(folder):
    by_one(folder, clear=dist.get_rank() == 0)
    dist.barrier()


def go_on(folder):
    by_one(folder, clear=True)
    dist.barrier()


def by_nobody(folder, clear=False):
    if clear and os.path.exists(folder):
        shutil.rmtree(folder)


def restart(folder):
    by_nobody(folder)
    by_nobody(folder, clear=False)
    by_nobody(folder, clear=None)
    by_nobody(folder, clear=0)
    dist.barrier()


def by_all(folder, clear=False):
    if clear and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def repeat(folder):
    by_all(folder)
    by_all(folder, clear=True)
    dist.barrier()


def in_own(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)


def in_own_beside_others(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def each(folder, rank):
    in_own(os.path.join(folder, f"part{rank}"))
    in_own_beside_others(os.path.join(folder, f"part{rank}"))
    dist.barrier()


def in_one(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def together(folder, rank, Trainer):
    trainer = Trainer(rank)
    in_one(os.path.join(folder, trainer.name))
    dist.barrier()


def unless_kept(folder, keep=False):
    if not keep and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def begin(folder):
    unless_kept(folder)
    dist.barrier()


def where_kept(folder, keep=False):
    if not keep and os.path.exists(folder):
        shutil.rmtree(folder)


def begin_again(folder):
    where_kept(folder, keep=True)
    dist.barrier()


def in_the_other_arm(folder, keep):
    if keep or folder is None:
        return
    elif os.path.exists(folder):
        shutil.rmtree(folder)


def begin_with_what_was(folder):
    in_the_other_arm(folder, True)
    dist.barrier()


def clean(folder, clear=True):
    if clear and os.path.exists(folder):
        shutil.rmtree(folder)


def run_quietly(folder, clear):
    clean(folder, clear=clear)
    dist.barrier()


def all_runs(folder):
    run_quietly(folder, clear=False)
    run_quietly(folder, 0)


def clean_some(folder, clear=True):
    if clear and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


def run_some(folder, clear):
    clean_some(folder, clear=clear)
    dist.barrier()


def some_runs(folder):
    run_some(folder, clear=False)
    run_some(folder, clear=True)
