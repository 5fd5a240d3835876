import multiprocessing
import subprocess

import torch.distributed as dist


def test_job():
    subprocess.run(["torchrun", "job.py"], timeout=60)  # error: [ignored-exit-status]  # low: [launch-without-process-group]


def worker(rank):
    dist.init_process_group("gloo", rank=rank, world_size=2)  # low: [init-without-timeout]
    dist.destroy_process_group()


def test_ranks():
    ranks = [multiprocessing.Process(target=worker, args=(rank,)) for rank in range(2)]  # error: [ignored-exit-status]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
