"""Checkpoints that all ranks write together: the place that each of them names, before any of them writes.

What is issued while they are written is logged as everywhere; the place comes before it as an operation of its own,
which every rank of the group issues, and on which they have to agree.
"""

from __future__ import annotations

import functools
import os
import sys

from . import calls, groups, log, sites, swap
from .operations import COLLECTIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

SAVERS = ("save", "async_save", "save_state_dict")


def watch(module: Any) -> None:
    """``torch.distributed.checkpoint.state_dict_saver`` was imported."""
    for name in SAVERS:
        place = swap.find(getattr(module, name, None))
        if place is not None:
            swap.put(place, _wrap(place))


def _wrap(place: swap.Place) -> Callable[..., Any]:
    # The frame of the caller: beyond this wrapper, the code put into torch's function, and its decorators.
    depth = 2 + place.decorators

    @functools.wraps(place.original)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        try:
            _tell(place.original.__name__, sys._getframe(depth), {**dict(zip(place.names, args)), **keywords})
        except Exception:
            return place.original(*args, **keywords)
        return place.original(*args, **keywords)

    return wrapper


def _tell(name: str, caller: Any, arguments: dict[str, Any]) -> None:
    """Logs the place, unless torch saves for itself (the thread of ``async_save``) or this process saves alone."""
    named = _place(arguments)
    if not named or arguments.get("no_dist") or calls.state().busy or log.LOG.open() < 0:
        return
    if str(caller.f_globals.get("__name__", "")).startswith("torch."):
        return
    group = groups.number(arguments.get("process_group")) if groups.module().is_initialized() else None
    frame, issuer = sites.locate(caller)
    if group is None or frame is None:
        return
    op = f"checkpoint.{name}"
    number = calls.intern(op, COLLECTIVE, sites.site(frame), group=group, implicit=issuer, place=named)
    calls.issue(number, _nothing)


def _nothing() -> None:
    """Naming a place waits for nobody."""


def _place(arguments: dict[str, Any]) -> str:
    """The place as all ranks would write it, or "" where it cannot be told."""
    named = arguments.get("checkpoint_id")
    if named is None:
        writer = arguments.get("storage_writer")
        named = getattr(writer, "checkpoint_id", None) or getattr(writer, "path", None)
    if not isinstance(named, (str, os.PathLike)):
        return ""
    text = os.fspath(named)
    if not isinstance(text, str):
        return ""
    return text if "://" in text else os.path.abspath(text)  # noqa: PTH100
