"""What a rank misses on its disk: made at once while others have yet to ask, or only when all have asked (P17)."""
import contextlib
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


def prepare(path):
    open(path, "w").close()


def made_at_once(path):
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
        download(url, path)  # low: [conditional-collective]


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


def leaves_with_what_it_finds(path, t, read):
    if os.path.exists(path):
        return read(str(path), show(path))
    dist.all_reduce(t)  # low: [divergent-early-exit]
    return t


def show(path):
    return path


def another_file_is_made_alone(path, t, write):
    if os.path.exists(path + ".index"):
        return
    if dist.get_rank() == 0:
        write(path + ".data")
    dist.barrier()  # low: [divergent-early-exit]


def the_same_file_is_made_alone(path, t, write):
    if os.path.exists(path + ".index"):
        return
    if dist.get_rank() == 0:
        write(path + ".index")
    dist.barrier()  # error: [divergent-early-exit]


def write_down(path, lines):
    try:
        if dist.get_rank() == 0:
            with open(path, "w") as table:
                table.writelines(lines)
    finally:
        dist.barrier()


def made_where_it_is_handed_to(table, lines):
    if not os.path.isfile(table):
        write_down(table, lines)  # error: [conditional-collective]


def only_the_module_is_called_alike(path, name, make):
    place = path + name
    if os.path.exists(place + ".index"):
        return
    make(path)
    dist.barrier()  # low: [divergent-early-exit]


def made_when_all_have_given(path, t, parts, write):
    if not os.path.exists(path):
        dist.all_gather(parts, t)  # low: [conditional-collective]
        if dist.get_rank() == 0:
            write(path, parts)


@contextlib.contextmanager
def in_step():
    yield dist.get_rank()
    dist.barrier()


def made_by_one_before_the_manager_waits(path, read, write):
    if os.path.exists(path):
        table = read(path)
    else:
        table = [path]
        with in_step() as rank:  # error: [conditional-collective]
            if rank == 0:
                write(path, table)
    return table
