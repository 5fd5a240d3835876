import multiprocessing
import subprocess
from datetime import timedelta

import torch.distributed as dist


def test_job():
    done = subprocess.run(["torchrun", "job.py"], timeout=60, start_new_session=True)
    assert done.returncode == 0


def test_checked():
    subprocess.run(["torchrun", "job.py"], timeout=60, check=True, start_new_session=True)


def worker(rank):
    dist.init_process_group("gloo", rank=rank, world_size=2, timeout=timedelta(seconds=60))
    dist.destroy_process_group()


def test_ranks():
    ranks = [multiprocessing.Process(target=worker, args=(rank,)) for rank in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
        assert rank.exitcode == 0


def helper():
    pass


def test_other_processes():
    process = multiprocessing.Process(target=helper)
    process.start()
    process.join()


def test_cleaning_up():
    subprocess.run(["pkill", "-f", "torchrun"])
