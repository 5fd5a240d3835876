"""One rank finds something on the disk, asks for a setting besides or for what the file holds, and raises alone."""
import hashlib
import os
import shutil

import torch.distributed as dist


def prepare(args):
    if dist.get_rank() == 0:
        if os.path.exists(args.folder):
            if not args.overwrite:
                raise FileExistsError(args.folder)  # error: [divergent-early-exit]
            shutil.rmtree(args.folder)
        os.makedirs(args.folder)
    dist.barrier()


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.md5(file.read()).hexdigest()


def same_settings(own, kept):
    if dist.get_rank() == 0:
        if checksum(own) != checksum(kept):
            raise RuntimeError("other settings")  # error: [divergent-early-exit]
    dist.barrier()


def load_by_kind(path, load, load_folder, model):
    # What a loader gives back is that of all loaders of its make, whichever it is.
    if dist.get_rank() == 0:
        if os.path.isdir(path):
            state = load_folder(path)
            info = state["info"]
            if not isinstance(info, dict):
                raise TypeError("no folder of ours")
        else:
            state = load(path)
        model.load_state_dict(state["model"])
    for parameter in model.parameters():
        dist.broadcast(parameter.data, src=0)


def prepare_and_tell(args):
    refused = [False]
    if dist.get_rank() == 0:
        if os.path.exists(args.folder):
            if not args.overwrite:
                refused = [True]
    dist.broadcast_object_list(refused, src=0)
    if refused[0]:
        raise FileExistsError(args.folder)
