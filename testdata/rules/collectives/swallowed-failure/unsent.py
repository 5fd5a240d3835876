"""An object that cannot be pickled fails on the rank that sends it, before anything is sent (P31)."""
import pickle

import torch
import torch.distributed as dist


def send_plan(plan):
    try:
        objects = [plan if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(objects, src=0)
    except pickle.PicklingError:  # error: [swallowed-failure]
        return None
    return objects[0]


def gather_reports(report, log):
    reports = [None] * dist.get_world_size()
    try:
        dist.all_gather_object(reports, report)
    except (AttributeError, TypeError, pickle.PickleError):  # error: [swallowed-failure]
        log.warning("no reports")
    return reports


# It is serialised first, and all ranks learn whether that worked.
def send_bytes(plan, device):
    try:
        text, failed = pickle.dumps(plan), torch.zeros(1, device=device)
    except pickle.PicklingError:
        text, failed = b"", torch.ones(1, device=device)
    dist.all_reduce(failed, op=dist.ReduceOp.MAX)
    if failed.item():
        raise ValueError("the plan cannot be sent")
    objects = [text]
    dist.broadcast_object_list(objects, src=0)
    return objects[0]


# Who fails ends the job.
def send_or_end(plan):
    objects = [plan]
    try:
        dist.broadcast_object_list(objects, src=0)
    except pickle.PicklingError as error:
        raise SystemExit("the plan cannot be sent") from error
    return objects[0]
