"""A path has several names, and questions for the first rank are asked in several ways."""
import json
import os

import torch
import torch.distributed as dist
from peft import PeftModel
from torch.utils.tensorboard import SummaryWriter


def with_adapter(model, base, cfg, run_dir, adapter_dir):
    if cfg.is_main_process:
        save_dir = adapter_dir if cfg.use_lora else run_dir
        model.save_pretrained(save_dir)
    return PeftModel.from_pretrained(base, adapter_dir)  # error: [unawaited-file]


def log(name, config, comm):
    if comm is None:
        writer = SummaryWriter("./logs/" + name)
    else:
        world_rank = comm.Get_rank()
        if int(world_rank) == 0:
            writer = SummaryWriter("./logs/" + name)
    with open("./logs/" + name + "/config.json", "w") as file:  # error: [unawaited-file]
        json.dump(config, file)
    return writer


def alone_or_first(state, path, local_rank):
    if local_rank == -1 or dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def no_other(state, path):
    if not dist.get_rank() > 0:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def not_in(state, path, rank):
    if rank not in [-1, 0]:
        print("waits for nobody")
    else:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def by_two(state, path, rank):
    if rank in (0, 1):
        torch.save(state, path)
    return torch.load(path)


def of_the_lora_rank(state, folder, lora_rank):
    path = os.path.join(folder, f"r{lora_rank}.pt")
    if dist.get_rank() == 0:
        torch.save(state, path)
    return torch.load(path)  # error: [unawaited-file]


def each_of_many(states, folder):
    for name, state in states.items():
        path = os.path.join(folder, name)
        if dist.get_rank() == 0:
            torch.save(state, path)
        torch.load(path)


def through_open_files(state, one, other):
    if dist.get_rank() == 0:
        with open(one, "wb") as file:
            torch.save(state, file)
    with open(other, "rb") as file:
        return torch.load(file)


def appended(state, path, mode):
    if dist.get_rank() == 0:
        with open(path, mode) as file:
            json.dump(state, file)
    with open(path) as file:
        return json.load(file)
