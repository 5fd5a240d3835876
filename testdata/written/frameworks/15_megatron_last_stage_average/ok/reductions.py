"""Small reductions used by the training scripts."""
import torch
import torch.distributed as dist


def average_losses(losses, group=None):
    """Mean of a list of scalar losses over the members of ``group``."""
    flat = torch.cat([loss.detach().reshape(1).float() for loss in losses])
    dist.all_reduce(flat, group=group)
    return flat / dist.get_world_size(group=group)


def calc_grad_norm(parameters, group):
    square = torch.zeros(1, device="cuda")
    for p in parameters:
        if p.main_grad is not None:
            square += p.main_grad.float().pow(2).sum()
    dist.all_reduce(square, group=group)
    return square.sqrt().item()
