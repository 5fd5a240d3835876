"""File systems are told the path of what they make and remove."""
import torch.distributed as dist


def made(files, folder):
    dist.barrier()
    if not files.exists(folder):
        files.mkdir(folder)  # error: [file-race]


def made_or_there(files, folder):
    dist.barrier()
    if not files.isdir(folder):
        files.makedirs(folder, exist_ok=True)


def made_in_part(files, folder):
    dist.barrier()
    if not files.isdir(folder):
        files.makedirs(folder)  # error: [file-race]


def removed(files, path):
    if files.exists(path):
        files.rm(path, recursive=True)  # error: [file-race]
    dist.barrier()


def another_is_asked_for(files, path, other):
    if files.exists(other):
        files.rm(path, recursive=True)
    dist.barrier()


def by_a_path(folder):
    """The mode is no path."""
    dist.barrier()
    if not folder.exists():
        folder.mkdir(0o700)  # error: [file-race]
