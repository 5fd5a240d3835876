"""This process, its forks and its end: what is reset in a fork, and the last line of the log."""

from __future__ import annotations

import os

from . import log, stacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_reset: list[Callable[[], None]] = []
_groups = 0


def reset_in_forks(reset: Callable[[], None]) -> None:
    """Has ``reset`` called in each fork: what was written into the parent's log is not in the fork's."""
    _reset.append(reset)


def group_made() -> None:
    """Counts a group that this process has made or helped to make."""
    global _groups
    _groups += 1


def watch_forks_and_the_end() -> None:
    """Hooks into fork and exit."""
    import atexit

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)
    atexit.register(end)


def _forked() -> None:
    global _groups
    try:
        _groups = 0
        log.LOG.forked()
        stacks.forked()
        for reset in _reset:
            reset()
    except Exception:
        log.LOG.lost = True


def at_end(task: Callable[[], None]) -> None:
    """Has ``task`` called before the last line."""
    _tasks.append(task)


_tasks: list[Callable[[], None]] = []


def end() -> None:
    """Writes the last line."""
    try:
        for task in _tasks:
            task()
        # A process that did nothing of interest leaves its first line alone.
        if log.LOG.lines > 1:
            log.LOG.fact("end", {"groups": _groups, "monotonic_us": log.now()})
        stacks.tidy()
    except Exception:
        return
