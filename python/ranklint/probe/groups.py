"""Groups of ranks: their numbers in the log. No group is kept alive by it."""

from __future__ import annotations

import sys
import weakref
from typing import Any, Callable

from . import log, process

_known: dict[int, tuple[Any, int]] = {}
_seen: dict[tuple[int, ...], int] = {}
_count = 0
_forget: list[Callable[[], None]] = []


def when_forgotten(task: Callable[[], None]) -> None:
    """Has ``task`` called when a group goes: whatever was cached under its identity is void."""
    _forget.append(task)


def module() -> Any:
    """``torch.distributed.distributed_c10d``, which is imported by now."""
    return sys.modules["torch.distributed.distributed_c10d"]


def default() -> Any:
    """The default group, or None before the job is joined."""
    return module().GroupMember.WORLD


def coalescing() -> Any:
    """The groups inside of a coalescing manager now; one dictionary for the life of the process."""
    return module()._world.pg_coalesce_state


def real(group: Any) -> Any:
    """The group that a call with the argument ``group`` runs on; None where this process is not in it."""
    if group is None:
        return default()
    return None if isinstance(group, int) else group


def number(group: Any) -> int | None:
    """The number of a group in the log; writes it the first time. None where it cannot be told."""
    group = real(group)
    if group is None:
        return None
    known = _known.get(id(group))
    if known is not None and known[0]() is group:
        return known[1]
    return _write(group)


def _write(group: Any) -> int | None:
    global _count
    c10d = module()
    try:
        ranks = sorted(c10d.get_process_group_ranks(group))
    except Exception:  # made by hand, unknown to torch
        return None
    world = group is default()
    label = getattr(group, "group_desc", "") or ""
    with log.LOG.lock:
        ordinal = _seen.get(tuple(ranks), 0)
        identity, _count = _count, _count + 1
        log.LOG.fact(
            "group",
            {
                "id": identity,
                "ranks": ranks,
                "ordinal": ordinal,
                "backend": _backend(group),
                "label": "" if label in ("undefined", "default_pg") else label,
                "world": world,
            },
        )
        _seen[tuple(ranks)] = ordinal + 1
        key = id(group)
        _known[key] = (weakref.ref(group, lambda _: _gone(key)), identity)
    return identity


def _backend(group: Any) -> str:
    try:
        return str(module().get_backend(group))
    except Exception:
        return ""


def world_rank(group: Any, rank: int) -> int:
    """The rank in the world of a rank of ``group``."""
    group = real(group)
    if group is None or group is default():
        return rank
    return int(module().get_global_rank(group, rank))


def left(group: Any) -> None:
    """A group, or with None every group, was left."""
    if group is None:
        _known.clear()
    elif not isinstance(group, int):
        _known.pop(id(group), None)
    _tell()


def _gone(key: int) -> None:
    _known.pop(key, None)
    _tell()


def _tell() -> None:
    for task in _forget:
        task()


def _reset() -> None:
    global _count
    _count = 0
    _seen.clear()
    left(None)


process.reset_in_forks(_reset)
