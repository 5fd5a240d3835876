"""The first rank claims a job and tells the others, who wait; a job that is none is passed over, and the next one claimed."""

import time

import torch.distributed as dist


def send(control):
    payload = [control]
    dist.broadcast_object_list(payload, src=0)
    return payload[0]


def serve(jobs):
    rank = dist.get_rank()
    while True:
        if rank == 0:
            job = None
            while job is None:
                if jobs.stopped():
                    control = {"action": "stop"}
                    break
                job = jobs.claim()
                if job is None:
                    time.sleep(0.5)
            if job is not None:
                if job.is_broken():
                    continue
                control = {"action": "run", "work": job.run}
        else:
            control = None
        control = send(control)  # low: [divergent-early-exit]
        if control["action"] == "stop":
            break
        control["work"]()


def serve_behind_a_barrier(jobs):
    rank = dist.get_rank()
    while True:
        dist.barrier()
        if rank == 0:
            job = None
            while job is None:
                job = jobs.claim()
            if job.is_broken():
                continue
            control = {"action": "run", "work": job.run}
        else:
            control = None
        control = send(control)  # error: [divergent-early-exit]
        if control["action"] == "stop":
            break
