"""Who tells itself that the job has one process, before it joins, communicates with nobody."""
import os

import torch.distributed as dist


def export(t):
    is_first = int(os.environ.get("RANK", 0)) == 0
    if not is_first:
        return
    else:
        if os.environ.get("WORLD_SIZE") != "1":
            os.environ["WORLD_SIZE"] = "1"
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    if is_first:
        dist.all_reduce(t)


def goes_on_alone():
    if int(os.environ.get("RANK", 0)) != 0:
        return False
    alone = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1"}
    os.environ.update(alone)
    return True


def export_by_a_function(t):
    if not goes_on_alone():
        return
    dist.init_process_group("gloo")
    dist.all_reduce(t)


def is_first():
    if int(os.environ.get("RANK", 0)) != 0:
        return False
    os.environ.update({"OMP_NUM_THREADS": "1"})
    return True


def export_by_the_first(t):
    if not is_first():
        return
    dist.init_process_group("gloo")
    dist.all_reduce(t)  # error: [divergent-early-exit]


def one_where_nobody_says(t):
    if "WORLD_SIZE" not in os.environ:
        os.environ["WORLD_SIZE"] = "1"
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def joined_before(t):
    dist.init_process_group("gloo")
    dist.barrier()
    os.environ["WORLD_SIZE"] = "1"
    if dist.get_rank() == 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def several_after_all(t, port):
    os.environ["WORLD_SIZE"] = "1"
    os.environ["WORLD_SIZE"] = "2"
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.all_reduce(t)  # error: [conditional-collective]


def leaves_the_job():
    os.environ["WORLD_SIZE"] = "1"


def alone_after_a_call(t):
    if int(os.environ.get("RANK", 0)) != 0:
        return
    leaves_the_job()
    dist.init_process_group("gloo")
    dist.all_reduce(t)


def starts_nothing():
    os.environ["OMP_NUM_THREADS"] = "1"


def first_after_a_call(t):
    if int(os.environ.get("RANK", 0)) != 0:
        return
    starts_nothing()
    dist.init_process_group("gloo")
    dist.all_reduce(t)  # error: [divergent-early-exit]
