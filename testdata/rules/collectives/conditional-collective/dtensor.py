"""DTensor: gathering the full value communicates, the local part does not (P46)."""
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate


def log_weight(weight: DTensor):
    if dist.get_rank() == 0:
        print(weight.full_tensor().norm())  # error: [conditional-collective]


def log_weight_in_step(weight: DTensor):
    full = weight.full_tensor()
    if dist.get_rank() == 0:
        print(full.norm())


def log_local(weight: DTensor):
    if dist.get_rank() == 0:
        print(weight.to_local().norm())


def replicate(weight: DTensor, mesh):
    if dist.get_rank() == 0:
        return weight.redistribute(mesh, [Replicate()])  # error: [conditional-collective]
    return weight


def send_parameters(model, group):
    """Who asks for sharded parameters has some."""
    if dist.get_rank() == 0:
        for _, parameter in model.named_parameters():
            if isinstance(parameter.data, DTensor):
                whole = parameter.data.full_tensor()  # error: [conditional-collective]
            else:
                whole = parameter.data
            store(whole, group)
