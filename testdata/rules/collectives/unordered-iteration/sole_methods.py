"""What an element holds is asked for something that one class alone can do, and that communicates."""

import torch.distributed as dist


class Observer:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def reduce_statistics(self):
        handles = []
        for value in (self.low, self.high):
            handles.append(dist.all_reduce(value, async_op=True))
        return handles

    def is_empty(self):
        return self.low is None


def reduce_all(modules):
    pending = []
    for module in set(modules):  # error: [unordered-iteration]
        for name in ("input", "weight"):
            observer = getattr(module, f"{name}_observer", None)
            if observer is not None:
                pending.extend(observer.reduce_statistics())
    for handle in pending:
        handle.wait()


def reduce_in_order(modules):
    pending = []
    for module in dict.fromkeys(modules):
        observer = getattr(module, "input_observer", None)
        if observer is not None:
            pending.extend(observer.reduce_statistics())
    for handle in pending:
        handle.wait()


def count_empty(modules, total):
    count = 0
    for module in set(modules):
        if module.observer.is_empty():
            count += 1
    total.fill_(count)
    dist.all_reduce(total)
