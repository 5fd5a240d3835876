"""Texts that tell apart calls of one line: ``name=bias`` for ``all_reduce(grads[name])``.

Taken are variables of the calling function, and attributes one level deep, that occur in the arguments of the call and
hold a text. Needs the positions of instructions (Python 3.11 and later); before there are no labels.
"""

from __future__ import annotations

import ast
import linecache
from itertools import islice
from types import CodeType, FrameType
from typing import Any

MOST = 3
LONGEST = 40

_names: dict[tuple[int, int], tuple[CodeType, tuple[tuple[str, str], ...]]] = {}


def candidates(frame: FrameType) -> tuple[tuple[str, str], ...]:
    """Variables (and attributes) in the arguments of the call of ``frame``: ("name", "") or ("self", "key")."""
    key = (id(frame.f_code), frame.f_lasti)
    known = _names.get(key)
    if known is None:
        known = _names[key] = (frame.f_code, _read(frame.f_code, frame.f_lasti))
    return known[1]


def texts(names: tuple[tuple[str, str], ...], frame: FrameType) -> tuple[str | None, ...]:
    """What the variables hold now, each cut to what a label shows; None for what is no text."""
    values = frame.f_locals
    found: list[str | None] = []
    for name, attribute in names:
        value: Any = values.get(name)
        if attribute:
            # By the dictionary of the instance: a property could do anything.
            try:
                value = object.__getattribute__(value, "__dict__").get(attribute)
            except AttributeError:
                value = None
        found.append(value[:LONGEST] if isinstance(value, str) else None)
    return tuple(found)


def label(names: tuple[tuple[str, str], ...], values: tuple[str | None, ...]) -> str:
    """The label of a call whose variables hold these texts; empty where none does."""
    found = []
    for (name, attribute), value in zip(names, values):
        if value is not None:
            found.append(f"{name}.{attribute}={value}"[:LONGEST] if attribute else f"{name}={value}"[:LONGEST])
    return " ".join(found[:MOST])


def of_frame(frame: FrameType) -> str:
    """The label of the call that ``frame`` is making."""
    names = candidates(frame)
    return label(names, texts(names, frame)) if names else ""


def _read(code: CodeType, instruction: int) -> tuple[tuple[str, str], ...]:
    positions = getattr(code, "co_positions", None)
    if positions is None or instruction < 0:
        return ()
    first, last, start, end = next(islice(positions(), instruction // 2, None), (None, None, None, None))
    if first is None or last is None or start is None or end is None:
        return ()
    lines = [linecache.getline(code.co_filename, line).encode() for line in range(first, last + 1)]
    if not all(lines):
        return ()
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        call = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return ()
    if not isinstance(call, ast.Call):
        return ()
    found: dict[tuple[str, str], None] = {}
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for node in ast.walk(argument):
            if isinstance(node, ast.Name):
                found[node.id, ""] = None
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found[node.value.id, node.attr] = None
    return tuple(found)
