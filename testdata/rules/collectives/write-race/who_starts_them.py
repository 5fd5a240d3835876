"""Who starts the processes does the work of a job of one by itself, and has no peers yet."""
import multiprocessing

import torch
import torch.distributed as dist


def work(rank, size, rows):
    if size > 1:
        dist.init_process_group("gloo", rank=rank, world_size=size)
        dist.barrier()
    return rows


def start(size, rows):
    if size == 1:
        work(0, 1, rows)
        return
    for rank in range(size):
        multiprocessing.Process(target=work, args=(rank, size, rows)).start()


def sum_up(rows, folder):
    start(4, rows)
    torch.save(rows, folder / "sums.pt")


def in_every_process(rank, size, rows, folder):
    work(rank, size, rows)
    dist.barrier()
    torch.save(rows, folder / "rows.pt")  # error: [write-race]
