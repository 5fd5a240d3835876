"""What looks like a race and is none: one rank does it, somebody takes the error, each has a path of its own (OM-13)."""
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

import torch.distributed as dist
import torch.multiprocessing as mp


def nothing_to_ask(path, t):
    if not os.path.exists(path):
        os.makedirs(path, exist_ok=True)
    if os.path.isdir(path + ".old"):
        shutil.rmtree(path + ".old", ignore_errors=True)
    Path(path).mkdir(exist_ok=True)
    dist.all_reduce(t)


def one_rank(path, t):
    if dist.get_rank() == 0 and not os.path.exists(path):
        os.makedirs(path)
    dist.barrier()


def one_rank_by_a_name(path, t, rank):
    writes = rank == 0
    if writes:
        if not os.path.exists(path):
            os.makedirs(path)
    dist.barrier()


def others_have_left(path, t):
    dist.all_reduce(t)
    if dist.get_rank() != 0:
        return
    if not os.path.exists(path):
        os.makedirs(path)


def takes_the_error(path, t):
    try:
        if not os.path.exists(path):
            os.makedirs(path)
    except FileExistsError:
        pass
    with suppress(FileExistsError):
        if not os.path.exists(path + "2"):
            os.makedirs(path + "2")
    dist.all_reduce(t)


@contextmanager
def main_process_first(rank):
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()


def in_turn(path, t, rank):
    with main_process_first(rank):
        if not os.path.exists(path):
            os.makedirs(path)
    dist.all_reduce(t)


def in_turn_by_hand(path, t, rank):
    if rank != 0:
        dist.barrier()
    if not os.path.exists(path):
        os.makedirs(path)
    if rank == 0:
        dist.barrier()


def each_its_own(path, t, rank):
    own = os.path.join(path, f"rank{rank}")
    if not os.path.exists(own):
        os.makedirs(own)
    mine = os.path.join(path, str(os.getpid()))
    if not os.path.exists(mine):
        os.makedirs(mine)
    dist.all_reduce(t)


def of_another_path(path, other, t):
    if not os.path.exists(path):
        os.makedirs(other)
    dist.all_reduce(t)


def alone(path):
    if not os.path.exists(path):
        os.makedirs(path)


def only_the_first_calls(path, t):
    if dist.get_rank() == 0:
        alone(path)
    dist.all_reduce(t)


def work(rank, t):
    dist.all_reduce(t)


def launch(path, t):
    if not os.path.exists(path):
        os.makedirs(path)
    mp.spawn(work, args=(t,), nprocs=2)


def keep_last(folder):
    for name in sorted(os.listdir(folder))[:-1]:
        shutil.rmtree(os.path.join(folder, name))


def save(folder, t):
    dist.all_reduce(t)
    if dist.get_rank() == 0:
        keep_last(folder)


def saved_by_some(folder, t):
    if not os.path.exists(folder):
        os.makedirs(folder)
    dist.all_reduce(t)


def on_some(folder, t, group):
    if dist.get_rank() in group:
        saved_by_some(folder, t)  # error: [conditional-collective]


def leaves_what_is_gone(folder: Path, t):
    dist.all_reduce(t)
    for path in folder.glob("*.pt"):
        path.unlink(missing_ok=True)


def lenient_by_place(path: Path, t):
    if path.exists():
        path.unlink(True)
    if not os.path.exists("logs"):
        os.makedirs("logs", 0o755, True)
    dist.all_reduce(t)
