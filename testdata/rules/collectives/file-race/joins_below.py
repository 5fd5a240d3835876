"""Who calls what joins the job is one of several."""
import os
import shutil
import sys

from torch.distributed import init_process_group


def join(backend):
    init_process_group(backend)


def set_up(backend):
    join(backend)


def clear(folder):
    set_up("gloo")
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]


if __name__ == "__main__":
    clear(sys.argv[1])
