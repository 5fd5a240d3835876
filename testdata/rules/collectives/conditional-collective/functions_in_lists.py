"""Functions in lists and tables of a module, or of the function itself."""
import torch.distributed as dist


def summed(t):
    dist.all_reduce(t)


def shown(t):
    print(t)


HOOKS = [summed]
SHOWS = [shown]
STEPS = {"sum": summed, "show": shown}


def each_hook(t):
    if dist.get_rank() == 0:
        for hook in HOOKS:
            hook(t)  # error: [conditional-collective]


def each_show(t):
    if dist.get_rank() == 0:
        for show in SHOWS:
            show(t)


def one_step(t, kind):
    if dist.get_rank() == 0:
        STEPS[kind](t)  # error: [conditional-collective]


def one_step_together(t, kind):
    STEPS[kind](t)
    if dist.get_rank() == 0:
        print(kind)


def own_list(t):
    steps = [lambda: print(t), lambda: dist.all_reduce(t)]
    if dist.get_rank() == 0:
        for step in steps:
            step()  # error: [conditional-collective]
