"""A wrapper has the ranks agree on what it is handed (P18)."""
import torch
import torch.distributed as dist


def share(objects, src=0):
    if not dist.is_initialized():
        return
    dist.broadcast_object_list(objects, src=src)


def share_if_any(objects, src=0):
    if dist.is_initialized():
        dist.broadcast_object_list(objects, src=src)


def look_at(objects):
    if dist.is_initialized():
        print(objects)


def share_a_copy(tensor):
    tensor = tensor.clone()
    dist.broadcast(tensor, src=0)


def save(skip):
    decision = [skip if dist.get_rank() == 0 else False]
    share(decision)
    if decision[0]:
        dist.barrier()


def save_if_any(skip):
    decision = [skip if dist.get_rank() == 0 else False]
    share_if_any(objects=decision)
    if decision[0]:
        dist.barrier()


def save_alone(skip):
    decision = [skip if dist.get_rank() == 0 else False]
    look_at(decision)
    if decision[0]:
        dist.barrier()  # error: [conditional-collective]


def save_by_copy(skip):
    decision = torch.tensor(int(dist.get_rank() == 0))
    share_a_copy(decision)
    if decision.item():
        dist.barrier()  # error: [conditional-collective]


def broadcast(tensor, src=0):
    dist.broadcast(tensor, src)
    return tensor


def broadcast_object(found, src=0):
    """Written by hand, of broadcasts that are a wrapper's as well."""
    if dist.get_rank() == src:
        broadcast(found, src=src)
    else:
        broadcast(torch.empty(1), src=src)
        found = torch.load("received")
    return found


def loaded_by_one(path):
    found = None
    if dist.get_rank() == 0:
        found = torch.load(path)
    return broadcast_object(found)


def goes_on_together(path):
    if loaded_by_one(path) is None:
        dist.barrier()


def goes_on_alone(path):
    found = None
    if dist.get_rank() == 0:
        found = torch.load(path)
    if found is None:
        dist.barrier()  # error: [conditional-collective]
