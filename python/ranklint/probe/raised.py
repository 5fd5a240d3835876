"""Exceptions nobody caught.

The interpreter's audit event ``sys.excepthook`` tells of the main thread's, whatever hook the program has set; threads
and children of multiprocessing, which catch their own, are watched one by one.
"""

from __future__ import annotations

import sys

from . import log, process, sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 2000
_told: list[Any] = []


def watch() -> None:
    """Has what the audit event missed looked for at the end."""
    process.at_end(_at_end)


def uncaught(error: Any, thread: str = "MainThread") -> None:
    """Logs an exception, once, and takes the probe's frames out of its traceback before that is printed."""
    if not isinstance(error, BaseException) or any(each is error for each in _told):
        return
    _told.append(error)
    try:
        message = str(error)
    except Exception:
        message = ""
    log.LOG.fact(
        "raised",
        {
            "class": type(error).__name__,
            "message": message[:LONGEST],
            "frames": sites.frames_of_traceback(error.__traceback__),
            "thread": thread,
        },
    )
    _clean(error)


def _clean(error: BaseException) -> None:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = _without_probe(each.__traceback__)
        waiting += [each.__cause__, each.__context__]


def _without_probe(traceback: Any) -> Any:
    kept = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if id(code) not in sites.placed and not sites.of_probe(code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    if not kept:
        return None
    for each, following in zip(kept, [*kept[1:], None]):
        each.tb_next = following
    return kept[0]


def _at_end() -> None:
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is not None:
        uncaught(error)


def threads(module: Any) -> None:
    """``threading`` was imported."""
    previous = module.excepthook

    def excepthook(arguments: Any) -> Any:
        try:
            if arguments.exc_type is not SystemExit:
                uncaught(arguments.exc_value, getattr(arguments.thread, "name", "") or "")
        except Exception:
            return previous(arguments)
        return previous(arguments)

    module.excepthook = excepthook


def spawned(module: Any) -> None:
    """``multiprocessing.process`` was imported: its children print what they raise themselves."""
    _passing(module.BaseProcess.run)


def spawned_by_torch(module: Any) -> None:
    """``torch.multiprocessing.spawn`` was imported: its children hand what they raise to the parent."""
    from . import swap

    place = swap.find(getattr(module, "_wrap", None))
    if place is None:
        return
    original = place.original

    def wrap(function: Any, *args: Any) -> Any:
        return original(_Passing(function), *args)

    swap.put(place, wrap)


class _Passing:
    """A function, and what it raises is logged on its way."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        try:
            return self.function(*args, **keywords)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            uncaught(error)
            raise


def _passing(function: Any) -> None:
    from . import swap

    place = swap.find(function)
    if place is not None:
        swap.put(place, _Passing(place.original))


process.reset_in_forks(_told.clear)
