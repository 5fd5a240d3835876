"""A collective bound to a name, fetched by name, or passed as a value (P10)."""
import torch.distributed as dist


def bound(loss):
    reduce = dist.all_reduce
    if dist.get_rank() == 0:
        reduce(loss)  # error: [conditional-collective]


def bound_in_step(loss):
    reduce = dist.all_reduce
    reduce(loss)
    if dist.get_rank() == 0:
        print(loss.item())


def fetched(loss):
    if dist.get_rank() == 0:
        getattr(dist, "all_reduce")(loss)  # error: [conditional-collective]


def run_on_main(function):
    if dist.get_rank() == 0:
        function()


def passed():
    run_on_main(dist.barrier)  # error: [conditional-collective]
