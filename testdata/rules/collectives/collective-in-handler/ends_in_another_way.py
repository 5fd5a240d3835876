"""A failing rank that ends in another way than by the teardown in `finally` (P13)."""
import os
import sys
import traceback

import torch.distributed as dist


def give_up(code=1):
    traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)


def main(work, x):
    try:
        work(x)
        dist.all_reduce(x)
    except BaseException:
        give_up()
    finally:
        dist.destroy_process_group()


def main_that_goes_on(work, x):
    try:
        work(x)
        dist.all_reduce(x)
    except BaseException:  # low: [swallowed-failure]
        traceback.print_exc()
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]


def leave(abort=False):
    if abort:
        dist.distributed_c10d._abort_process_group()
        return
    dist.barrier()
    dist.destroy_process_group()


def train(work, x):
    try:
        work(x)
        dist.all_reduce(x)
    except BaseException:
        leave(abort=True)
        raise


def train_and_wait(work, x):
    try:
        work(x)
        dist.all_reduce(x)
    except BaseException:
        leave()  # low: [collective-in-handler]
        raise
