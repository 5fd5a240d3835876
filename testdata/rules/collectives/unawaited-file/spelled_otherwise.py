"""Files that a function writes in the folder that it is handed, read under another spelling; folders read whole."""
import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed import checkpoint
from transformers import AutoModel


def save_parts(state, folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(state, folder / "model.pt")


def translate(model, name):
    target = Path(name) / "converted"
    if not target.exists():
        if dist.get_rank() == 0:
            save_parts(model.state_dict(), target)
    model.load_state_dict(torch.load(target / "model.pt"))  # error: [unawaited-file]
    dist.barrier()


def translate_in_step(model, name):
    target = Path(name) / "converted"
    if dist.get_rank() == 0:
        save_parts(model.state_dict(), target)
    dist.barrier()
    model.load_state_dict(torch.load(target / "model.pt"))


def read_another(model, name):
    target = Path(name) / "converted"
    if dist.get_rank() == 0:
        save_parts(model.state_dict(), target)
    model.load_state_dict(torch.load(target / "start.pt"))
    dist.barrier()


def whole(model, folder):
    if dist.get_rank() == 0:
        save_parts(model.state_dict(), folder)
    checkpoint.load(model.state_dict(), checkpoint_id=folder)  # error: [unawaited-file]
    dist.barrier()


def pretrained(model, folder):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), os.path.join(folder, "pytorch_model.bin"))
    again = AutoModel.from_pretrained(folder)  # error: [unawaited-file]
    dist.barrier()
    return again


def joined(model, folder):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
    path = f"{folder}/model.pt"
    model.load_state_dict(torch.load(path))  # error: [unawaited-file]
    dist.barrier()


def apart(model, folder, other):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
    model.load_state_dict(torch.load(os.path.join(other, "model.pt")))
    again = AutoModel.from_pretrained(other)
    dist.barrier()
    return again


def named_alike(model, out, name):
    """What lies in a folder of its own is not what is read by that name."""
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), os.path.join(out, f"{name}.pt"))
    again = AutoModel.from_pretrained(name)
    dist.barrier()
    return again


def copied(model, path, own):
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), path)
    shutil.copyfile(path, own)  # error: [unawaited-file, write-race]
    dist.barrier()
