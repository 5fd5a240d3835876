"""A closure that is returned or registered, and called by somebody else (P41)."""
import torch.distributed as dist


def make_hook(group):
    rank = dist.get_rank(group)

    def hook(grad):
        if rank == 0:
            dist.all_reduce(grad, group=group)  # error: [conditional-collective]
        return grad

    return hook


def make_hook_in_step(group):
    rank = dist.get_rank(group)

    def hook(grad):
        dist.all_reduce(grad, group=group)
        if rank == 0:
            print(grad.norm())
        return grad

    return hook


def make_pair(group):
    own = dist.get_rank(group) == 0

    def agree(flag):
        nonlocal own
        own = flag

    def step(grad):
        if own:
            dist.all_reduce(grad, group=group)
        return grad

    return agree, step


def register(model):
    rank = dist.get_rank()

    def on_step(module, grad_input, grad_output):
        if rank == 0:
            dist.barrier()  # error: [conditional-collective]

    model.register_full_backward_hook(on_step)
