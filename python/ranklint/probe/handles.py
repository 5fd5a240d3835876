"""Handles of calls that do not wait: when they are waited for, and which are thrown away without.

``Work.wait`` and its like are patched on torch's class when the first handle is seen, so that handles stay what they
are. A weak reference tells when one goes.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from . import groups, log, process

_pending: dict[int, tuple[int, Any]] = {}
_patched: Any = None
_WAITING = ("wait", "synchronize", "result")
_HANDING_OVER = ("get_future", "get_future_result", "block_current_stream")


def track(call: int, work: Any) -> None:
    """Follows the handle that a call has returned."""
    global _patched
    if _patched is None:
        _patched = _patch(groups.module().Work)
    kind = type(work)
    if not isinstance(work, groups.module().Work) or kind.wait is not _patched:
        return  # a future, or a class of its own
    key = id(work)
    _pending[key] = (call, weakref.ref(work, lambda _: _dropped(key)))


def _dropped(key: int) -> None:
    known = _pending.pop(key, None)
    if known is not None:
        log.LOG.write(b"[5,%d,%d]\n" % (known[0], log.now()))


def _patch(work: Any) -> Any:
    for name in _WAITING + _HANDING_OVER:
        if hasattr(work, name):
            setattr(work, name, _waits(getattr(work, name)))
    work.is_completed = _asks(work.is_completed)
    return work.wait


def _waits(method: Any) -> Any:
    @functools.wraps(method)
    def wait(self: Any, *args: Any, **keywords: Any) -> Any:
        known = _pending.pop(id(self), None)
        if known is None:
            return method(self, *args, **keywords)
        log.LOG.write(b"[3,%d,%d]\n" % (known[0], log.now()))
        try:
            return method(self, *args, **keywords)
        finally:
            log.LOG.write(b"[4,%d,%d]\n" % (known[0], log.now()))

    return wait


def _asks(method: Any) -> Any:
    @functools.wraps(method)
    def is_completed(self: Any) -> Any:
        completed = method(self)
        if completed and id(self) in _pending:
            call = _pending.pop(id(self))[0]
            log.LOG.write(b"[3,%d,%d]\n[4,%d,%d]\n" % (call, log.now(), call, log.now()))
        return completed

    return is_completed


def _end() -> None:
    for key in list(_pending):
        _dropped(key)


process.reset_in_forks(_pending.clear)
process.at_end(_end)
