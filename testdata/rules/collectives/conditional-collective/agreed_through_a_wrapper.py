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
