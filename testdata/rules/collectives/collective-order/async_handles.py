"""The order of issue counts, the order of waiting does not (P33)."""
import torch.distributed as dist


def issue(a, b):
    odd = dist.get_rank() % 2 == 1
    if odd:
        first = dist.all_reduce(a, async_op=True)  # error: [collective-order]
        second = dist.all_gather_into_tensor(b, a, async_op=True)
    else:
        second = dist.all_gather_into_tensor(b, a, async_op=True)
        first = dist.all_reduce(a, async_op=True)
    first.wait()
    second.wait()


def wait(a, b):
    odd = dist.get_rank() % 2 == 1
    first = dist.all_reduce(a, async_op=True)
    second = dist.all_gather_into_tensor(b, a, async_op=True)
    for handle in (first, second) if odd else (second, first):
        handle.wait()
