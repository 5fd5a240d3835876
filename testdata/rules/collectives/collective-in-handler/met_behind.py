"""Whoever fails tells the others, and they ask behind the block, where nothing else is issued before."""
import json

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def tell(failed):
    flag = torch.tensor(float(failed))
    dist.all_reduce(flag)
    return flag.item() > 0


def measure(read, path):
    try:
        result = open(path).read()
    except Exception:
        tell(True)
        raise
    tell(False)
    return result


def measure_together(path, tensor):
    try:
        result = open(path).read()
    except Exception:
        tell(True)  # error: [collective-in-handler]
        raise
    dist.broadcast(tensor, src=0)
    return result


def goes_on(path):
    """Who failed meets its peers once more behind the block."""
    try:
        found = json.load(open(path))
    except OSError:
        found = None
        dist.barrier()  # error: [collective-in-handler]
    dist.barrier()
    return found


def tried_again(state, path, group):
    future = dcp.async_save(state, checkpoint_id=path, process_group=group)
    for _ in range(3):
        try:
            future.result()
            break
        except Exception:
            dist.barrier(group=group)  # error: [collective-in-handler]
            future = dcp.async_save(state, checkpoint_id=path, process_group=group)
    dist.barrier(group=group)


def leaves(path):
    try:
        found = json.load(open(path))
    except OSError:
        dist.barrier()
        return None
    dist.barrier()
    return found
