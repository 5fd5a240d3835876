"""Variables that an inner function writes, attributes that are set by name, ranks among texts, a switch of a class below."""
import os

import torch.distributed as dist


def written_inside(t):
    leads = False

    def load():
        nonlocal leads
        if dist.get_rank() == 0:
            leads = True

    load()
    if leads:
        dist.all_reduce(t)  # error: [conditional-collective]


def written_inside_by_all(t):
    ready = False

    def load():
        nonlocal ready
        ready = True

    load()
    if ready:
        dist.all_reduce(t)


def set_by_name(t, settings):
    setattr(settings, "leads", dist.get_rank() == 0)
    if settings.leads:
        dist.barrier()  # error: [conditional-collective]


def among_texts():
    if os.environ["RANK"] in ("0", "1"):
        dist.barrier()  # error: [conditional-collective]


class Task:
    on_first_only = False

    def run(self, t):
        if self.on_first_only and dist.get_rank() != 0:
            return
        self.step(t)  # error: [divergent-early-exit]

    def step(self, t):
        pass


class Export(Task):
    on_first_only = True

    def step(self, t):
        dist.all_reduce(t)
