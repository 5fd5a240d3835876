"""Decorators with settings whose wrapper communicates."""
import torch.distributed as dist


def synchronized(label):
    def decorate(function):
        def run(*args, **kwargs):
            dist.barrier()
            return function(*args, **kwargs)

        return run

    return decorate


@synchronized("export")
def export(model):
    print(model)


def finish(model):
    if dist.get_rank() == 0:
        export(model)  # error: [conditional-collective]


def finish_together(model):
    export(model)
