"""What one rank does in a function that is called, and what all do in another."""
import os
import time

import torch
import torch.distributed as dist
from lightning.pytorch.utilities import rank_zero_only


class Keeper:
    def __init__(self, model, folder):
        self.model = model
        self.path = os.path.join(folder, "best.pt")

    def save(self):
        if dist.get_rank() == 0:
            torch.save(self.model, self.path)

    @rank_zero_only
    def save_first(self):
        torch.save(self.model, self.path)

    def save_in_step(self):
        if dist.get_rank() == 0:
            torch.save(self.model, self.path)
        dist.barrier()

    def load(self):
        return torch.load(self.path)

    def load_in_step(self):
        dist.barrier()
        return torch.load(self.path)

    def finish(self):
        self.save()
        self.model = self.load()  # error: [unawaited-file]

    def finish_by_the_first(self):
        self.save_first()
        return torch.load(self.path)  # error: [unawaited-file]

    def finish_in_step(self):
        self.save_in_step()
        self.model = self.load()

    def finish_and_wait(self):
        self.save()
        self.model = self.load_in_step()


def last_of(model, folder):
    keeper = Keeper(model, folder)
    keeper.save()
    return torch.load(keeper.path)  # error: [unawaited-file]


def last_of_two(one, other):
    one.save()
    return torch.load(other.path)


def write(state, path):
    if dist.get_rank() == 0:
        torch.save(state, path)


def read(path):
    return torch.load(path, map_location="cpu")


def write_and_read(state, folder):
    path = os.path.join(folder, "state.pt")
    write(state, path)
    return read(path)  # error: [unawaited-file]


def write_one_and_read_another(state, folder):
    write(state, os.path.join(folder, "state.pt"))
    return read(os.path.join(folder, "other.pt"))


def write_nothing(state, folder, keep):
    path = os.path.join(folder, "state.pt") if keep else None
    write(state, None)
    return read(path)


def dump(part, folder):
    torch.save(part, os.path.join(folder, f"{dist.get_rank()}.pt"))


def dump_all(part, folder):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    dump(part, folder)  # error: [unawaited-file]


def dump_once_made(part, folder):
    os.makedirs(folder, exist_ok=True)
    prepare_for(part, folder)


def prepare_for(part, folder):
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
    dump(part, folder)


class Writer:
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)


def written_by_another(part, folder):
    writer = None
    if dist.get_rank() == 0:
        writer = Writer(folder)
    dump(part, folder)  # low: [unawaited-file]
    return writer


def wait_for_it(state, path):
    write(state, path)
    while not os.path.exists(path):
        pass
    return read(path)


def sleep_a_while(state, path):
    write(state, path)
    time.sleep(10)
    return read(path)


def first_of_all(state, path, accelerator):
    with accelerator.main_process_first():
        if accelerator.is_main_process:
            torch.save(state, path)
    return read(path)


def long_after(state, path, batches):
    write(state, path)
    for batch in batches:
        print(batch)
    return read(path)


def by_each(state, path):
    write(state, path)
    torch.save(state, path)
    return read(path)


def by_some(state, path, rank):
    if rank < 1:
        of_some(state, path)


def of_some(state, path):
    write(state, path)
    return read(path)
