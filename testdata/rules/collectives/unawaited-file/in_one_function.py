"""What one rank writes, makes and removes, and all rely on in the same function."""
import json
import os
import shutil
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


def write_and_read(model, path):
    if dist.get_rank() == 0:
        torch.save(model, path)
    return torch.load(path)  # error: [unawaited-file]


def write_and_open(record, rank, path):
    if rank != 0:
        pass
    else:
        with open(path, "w") as file:
            json.dump(record, file)
    with open(path) as file:  # error: [unawaited-file]
        return json.load(file)


def copy_and_list(source, folder, local_rank):
    if local_rank in (-1, 0):
        shutil.copytree(source, folder)
    return sorted(os.listdir(folder))  # error: [unawaited-file]


def adapters(model, base, folder, accelerator):
    if accelerator.is_main_process:
        model.save_pretrained(folder)
    return type(model).from_pretrained(base, folder), type(model).from_pretrained(folder)  # error: [unawaited-file]


def work_in_it(parts, folder):
    if dist.get_rank() == 0:
        Path(folder).mkdir(parents=True, exist_ok=True)
    np.save(os.path.join(folder, f"{dist.get_rank()}.npy"), parts)  # error: [unawaited-file]


def work_near_it(parts, rank, path):
    if rank == 0:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(parts, path)  # error: [unawaited-file]


def in_what_is_removed(parts, folder, rank):
    if rank == 0:
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    torch.save(parts, os.path.join(folder, f"part-{rank}.pt"))  # error: [unawaited-file]


def not_any_more(model, path):
    raise RuntimeError("write_and_read does that now")
    if dist.get_rank() == 0:
        torch.save(model, path)
    return torch.load(path)
