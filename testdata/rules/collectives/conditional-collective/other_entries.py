"""Whoever stores an entry of a mapping for its own part leaves the others as they were, in a loop as well."""
import torch.distributed as dist


def build(layers, settings):
    mine = split(layers, 4)[dist.get_rank()]
    for start, end in mine:
        settings["first"] = start == 0
        settings["depth"] = end - start
    if settings["name"] == "large":
        load(settings)
    else:
        dist.barrier()


def build_if_named(layers, settings):
    for start, _ in split(layers, 4)[dist.get_rank()]:
        settings["first"] = start == 0
    if "checkpoint" in settings.keys() and "name" in settings:
        dist.barrier()


def build_first(layers, settings):
    for start, _ in split(layers, 4)[dist.get_rank()]:
        settings["first"] = start == 0
    if settings["first"]:
        dist.barrier()  # error: [conditional-collective]


def build_if_any(layers, settings):
    for start, _ in split(layers, 4)[dist.get_rank()]:
        settings["first"] = start == 0
    if "first" in settings:
        dist.barrier()  # low: [conditional-collective]


def build_in_turns(layers, settings):
    for _ in range(2):
        for start, _ in split(layers, 4)[dist.get_rank()]:
            settings["first"] = start == 0
        settings["turns"] = dist.get_rank()
    if "name" in settings:
        dist.barrier()


def split(layers, parts):
    return [layers[at::parts] for at in range(parts)]


def load(settings):
    return open(settings["path"])


def build_if_asked(layers, settings, key):
    for start, _ in split(layers, 4)[dist.get_rank()]:
        settings["first"] = start == 0
    if key in settings:
        dist.barrier()  # low: [conditional-collective]
