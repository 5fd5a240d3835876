"""A condition of which one part is the same everywhere and another depends on the rank (P01)."""
import torch.distributed as dist


def is_main():
    return not dist.is_initialized() or dist.get_rank() == 0


def log_every(step, every, loss):
    if step % every == 0 and dist.get_rank() == 0:
        dist.all_reduce(loss)  # error: [conditional-collective]


def log_every_in_step(step, every, loss):
    if step % every == 0:
        dist.all_reduce(loss)
        if dist.get_rank() == 0:
            print(loss.item())


def log_configured(config, loss):
    if dist.get_rank() == 0 and config.log:
        dist.all_reduce(loss)  # error: [conditional-collective]


def log_main(loss):
    if is_main():
        dist.all_reduce(loss)  # error: [conditional-collective]


def log_verbose(loss, verbose=False):
    if not verbose or dist.get_rank() != 0:
        return
    dist.all_reduce(loss)  # error: [divergent-early-exit]


def path_of_main(config, loss):
    path = None
    if dist.get_rank() == 0:
        path = config.path
    if path is not None:
        dist.all_reduce(loss)  # error: [conditional-collective]


def path_of_all(config, loss):
    path = config.path
    if path is not None:
        dist.all_reduce(loss)
