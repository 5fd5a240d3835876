"""Reads of watched environment variables, and their values when the job is joined.

``os.environ`` stays the object it is; the dictionary inside of it is replaced by one that notices. Copying the whole
environment (``dict(os.environ)``, ``os.environ.copy()``) is no read of a variable.
"""

from __future__ import annotations

import os

from . import log, process, sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_patterns: list[str] = []
_joined = False
_told: set[tuple[Any, ...]] = set()


class _Noticing(dict):  # type: ignore[type-arg]
    """The dictionary inside of ``os.environ``: encoded names to encoded values."""

    copying: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        self.copying = iter(list(dict.keys(self)))
        return dict.__iter__(self)

    def __getitem__(self, key: Any) -> Any:
        if self.copying is not None:
            # In the order of an iteration: somebody takes everything.
            if next(self.copying, None) == key:
                return dict.__getitem__(self, key)
            self.copying = None
        if key in _watched_keys or _is_watched(key):
            _read(key, dict.get(self, key))
        return dict.__getitem__(self, key)


_watched_keys: set[Any] = set()
_other_keys: set[Any] = set()


def watch() -> None:
    """Replaces the dictionary; Windows, where names are no bytes, is handled alike."""
    patterns = os.environ.get("RANKLINT_PROBE_KEYS", "SCOPE_TEST_*")
    _patterns[:] = [pattern.strip() for pattern in patterns.split(",") if pattern.strip()]
    inner = getattr(os.environ, "_data", None)
    if type(inner) is not dict or not _patterns:
        return
    noticing = _Noticing(inner)
    os.environ._data = noticing  # type: ignore[attr-defined]
    if hasattr(os, "environb"):
        os.environb._data = noticing


def _is_watched(key: Any) -> bool:
    if key in _other_keys:
        return False
    name = _text(key)
    watched = any(_matches(name, pattern) for pattern in _patterns)
    (_watched_keys if watched else _other_keys).add(key)
    return watched


def _matches(name: str, pattern: str) -> bool:
    if not any(mark in pattern.rstrip("*") for mark in "*?["):
        return name.startswith(pattern.rstrip("*")) if pattern.endswith("*") else name == pattern
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def _text(value: Any) -> str:
    return os.fsdecode(value)


def _read(key: Any, value: Any) -> None:
    try:
        site = sites.here(2)
        hash = None if value is None else _hash(value)
        fact = {"key": _text(key), "hash": hash, "site": site, "after_join": _joined}
        told = tuple(fact.values())
        if told not in _told:
            _told.add(told)
            log.LOG.fact("environment", fact)
    except Exception:
        return


def _hash(value: Any) -> str:
    from hashlib import sha256

    return sha256(value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def snapshot() -> None:
    """Writes the watched variables as they are now."""
    inner = getattr(os.environ, "_data", {})
    values = {_text(key): _hash(value) for key, value in dict.items(inner) if _is_watched(key) or key in _watched_keys}
    log.LOG.fact("snapshot", {"values": dict(sorted(values.items()))})


def joined() -> None:
    """The process has joined the job."""
    global _joined
    _joined = True


process.reset_in_forks(_told.clear)
