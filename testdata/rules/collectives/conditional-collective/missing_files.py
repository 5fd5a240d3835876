"""What a rank misses on its disk: made at once while others have yet to ask, or only when all have asked (P17)."""
import os

import torch.distributed as dist


def main_only(function, *args):
    if dist.get_rank() == 0:
        function(*args)
    dist.barrier()


def is_in_step():
    return dist.is_initialized()


def wait():
    if not is_in_step():
        return
    dist.barrier()


def download(url, path):
    wait()
    if dist.get_rank() == 0:
        open(path, "w").close()
    wait()


def made_at_once(path, prepare):
    if not os.path.exists(path):
        main_only(prepare, path)  # error: [conditional-collective]


def made_when_all_have_asked(folder, url):
    path = os.path.join(folder, "archive")
    if not os.path.isfile(path):
        print("not found", path)
        download(url, path)  # low: [conditional-collective]


def made_before_the_download(folder, url):
    path = os.path.join(folder, "archive")
    if not os.path.isfile(path):
        os.makedirs(folder, exist_ok=True)
        download(url, path)  # error: [conditional-collective]


def found(path, t):
    if os.path.exists(path):
        dist.all_reduce(t)  # low: [conditional-collective]


def found_after_it_was_made(path, t):
    open(path, "w").close()
    if os.path.exists(path):
        dist.all_reduce(t)  # low: [conditional-collective]


def exchanged_where_it_is_missing(path, t):
    if not os.path.exists(path):
        dist.all_reduce(t)  # error: [conditional-collective]


def waited_for_where_it_is_missing(path):
    if os.path.exists(path):
        return
    dist.barrier()  # low: [divergent-early-exit]


def written_where_it_is_missing(path, write):
    if os.path.exists(path):
        return
    write(path)
    dist.barrier()  # error: [divergent-early-exit]
