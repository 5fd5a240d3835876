"""Lists that are written out, against the size that the others make room for."""
import torch
import torch.distributed as dist


def broadcast_floats(size, values=None, root=0):
    tensor = None
    if dist.get_rank() == root:
        tensor = torch.tensor(values, dtype=torch.float32, device="cuda")
    return broadcast_tensor(size, tensor, root)


def broadcast_tensor(size, tensor, root):
    if dist.get_rank() == root:
        assert tensor.is_cuda
    else:
        tensor = torch.empty(size, dtype=torch.float32, device="cuda")
    dist.broadcast(tensor, root)
    return tensor


def settings(length, width, penalty, stop):
    values = [length, width, penalty, stop]
    return broadcast_floats(3, values)  # error: [unagreed-shape]


def settings_in_step(length, width, penalty):
    values = [length, width, penalty]
    return broadcast_floats(3, values)


def settings_of_any_number(values):
    return broadcast_floats(len(values), values)
