"""What is called in the order of a set may be any of several methods: one that communicates is enough (P11)."""

import torch.distributed as dist


class Observer:
    def sync_statistics(self):
        dist.all_reduce(self.statistics)


class QuietObserver(Observer):
    def sync_statistics(self):
        pass

    def describe(self):
        return str(self.statistics)


class LoudObserver(Observer):
    def describe(self):
        return "loud"


def sync(modules):
    for module in set(modules):  # error: [unordered-iteration]
        for part in ("input", "output"):
            observer = getattr(module, f"{part}_observer", None)
            if observer is not None:
                observer.sync_statistics()


def describe(modules):
    for module in set(modules):
        observer = module.observer
        observer.describe()
