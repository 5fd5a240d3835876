"""Ways to come there, and to wait, that are near one another."""
import os
from pathlib import Path

import torch
import torch.distributed as dist
from lightning.pytorch.utilities import rank_zero_only


class Kept:
    def __init__(self, state, path):
        if dist.get_rank() == 0:
            torch.save(state, path)


def keep(state, path):
    Kept(state, path)
    return torch.load(path)  # error: [unawaited-file]


def write(state, path):
    torch.save(state, path)


def let_write(state, path):
    if dist.get_rank() == 0:
        write(state, path)
    return torch.load(path)  # error: [unawaited-file]


@rank_zero_only
def by_one(state, path):
    if dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(path)


def load_then_save(state, path):
    last = torch.load(path)
    if dist.get_rank() == 0:
        torch.save(state, path)
    return last


def in_the_other_arm(state, path, fresh):
    if fresh:
        if dist.get_rank() == 0:
            torch.save(state, path)
    else:
        state = torch.load(path)
    return state


def export_state(state, path):
    if dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(path)  # low: [unawaited-file]


def parts_written(states, path):
    if dist.get_rank() == 0:
        torch.save(states, path)
    yield from states


def not_yet_begun(states, path):
    parts = parts_written(states, path)
    return torch.load(path), parts


def made_afterwards(part, folder, rank):
    if rank == 0:
        os.makedirs(folder, exist_ok=True)
    torch.save(part, os.path.join(folder, f"{rank}.pt"))  # error: [unawaited-file]
    os.makedirs(folder, exist_ok=True)


def made_by_what_fills_it(model, folder):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    model.save_pretrained(folder)


def write_beside(state, path):
    path = path + ".new"
    if dist.get_rank() == 0:
        torch.save(state, path)


def read_the_old_one(state, path):
    write_beside(state, path)
    return torch.load(path)


def put(part, name, place):
    torch.save(part, f"{place}/{name}.pt")


def put_all(part, place, rank):
    if rank == 0:
        os.makedirs(place, exist_ok=True)
    put(part, f"part{rank}", place)  # error: [unawaited-file]


def one_of_two(state, first, second, ahead):
    target = first
    if ahead:
        target = second
    if dist.get_rank() == 0:
        torch.save(state, target)
    return torch.load(first)


def under_another_name(state, path):
    latest = path
    if dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(latest)  # error: [unawaited-file]


def beside_it(text, path: Path):
    if dist.get_rank() == 0:
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)  # error: [unawaited-file]


def opened_by_itself(text, path: Path):
    if dist.get_rank() == 0:
        with path.open("w") as file:
            file.write(text)
    return path.read_text()  # error: [unawaited-file]


def make_and_wait(folder):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    while not os.path.isdir(folder):
        pass


def once_it_is_made(part, folder):
    make_and_wait(folder)
    torch.save(part, os.path.join(folder, f"{dist.get_rank()}.pt"))


def joins_nothing(state, folder, path):
    if dist.get_rank() == 0:
        torch.save(state, path)
    print(os.path.join(folder, "log"))
    return torch.load(path)  # error: [unawaited-file]


def fitted(state, path, trainer):
    if dist.get_rank() == 0:
        torch.save(state, path)
    trainer.fit(state)
    return torch.load(path)


def exchanged(state, path, one, other):
    if dist.get_rank() == 0:
        torch.save(state, path)
    dist.all_to_all_single(one, other)
    return torch.load(path)


class Near:
    def settle(self, votes):
        dist.all_reduce(votes)


class Far:
    def settle(self, votes):
        dist.all_gather_object([None], votes)


def settled(state, path, engine, votes):
    if dist.get_rank() == 0:
        torch.save(state, path)
    engine.settle(votes)
    return torch.load(path)


def now_and_then(state, path, rank, step):
    if rank == 0 and step % 10 == 0:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def not_by_others(state, path, rank, keeps):
    if rank != 0 or not keeps:
        print("not here")
    else:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def by_the_others(state, path, rank):
    if rank != 0:
        torch.save(state, path)
    return torch.load(path)


def not_by_the_first(state, path, rank):
    if rank == 0:
        print("not here")
    else:
        torch.save(state, path)
    return torch.load(path)


def not_in(state, path, rank):
    if rank not in (0, -1):
        torch.save(state, path)
    return torch.load(path)


def where_there_is_no_job(state, path, local_rank):
    if local_rank in (-1,):
        torch.save(state, path)
    return torch.load(path)


class Together:
    def __enter__(self):
        return self

    def __exit__(self, *failure):
        dist.barrier()


def left_together(state, path):
    with Together():
        if dist.get_rank() == 0:
            torch.save(state, path)
    return torch.load(path)


class Store:
    @staticmethod
    def put(state, path):
        if dist.get_rank() == 0:
            torch.save(state, path)


def stored(state, path):
    Store.put(state, path)
    return torch.load(path)  # error: [unawaited-file]


def opened_as_path(state, path):
    if dist.get_rank() == 0:
        torch.save(state, Path(path))
    return torch.load(str(path))  # error: [unawaited-file]


def fitted_otherwise(state, path, runner):
    if dist.get_rank() == 0:
        torch.save(state, path)
    runner.fit_all(state)
    return torch.load(path)


def appended(text, path: Path):
    if dist.get_rank() == 0:
        with open(path, "a") as file:
            file.write(text)
    with path.open() as file:  # error: [unawaited-file]
        return file.read()


def no_other_and_kept(state, path, keeps):
    if not dist.get_rank() > 0 and keeps:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


class Meta:
    @classmethod
    def build(cls, folder: Path, name):
        if not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")


def built_in_its_own_folder(folder: Path, name):
    if dist.get_rank() == 0:
        folder.mkdir(parents=True, exist_ok=True)
    Meta.build(folder, name)
