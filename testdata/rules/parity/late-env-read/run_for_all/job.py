"""One rank runs a function for all, and what it returns is handed out: what it was given is compared by nobody."""
import os

import torch.distributed as dist


def run_on_first(function, *args):
    box = [None]
    if dist.get_rank() == 0:
        box = [function(*args)]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def start(text):
    path = os.environ.get("APP_MODE", "fast") + ".txt"
    try:
        run_on_first(write, path, text)
    except OSError as error:
        raise RuntimeError(error)


class Model:
    def forward(self, x):
        if os.environ.get("APP_MODE", "fast") == "fast":
            return x
        return None
