"""A file that says no more of ranks than to ask whether there are several (P11)."""

from helpers import is_distributed


def sync(modules):
    if not is_distributed():
        return
    for module in set(modules):  # error: [unordered-iteration]
        module.observer.sync_statistics()
