"""Where calls are made: the frames of the program, and which part of torch stands between them and the call.

A site is a whole stack of the program. Calls that are looked up by less (their own frame and the one around it) keep
the stack of the first of them.
"""

from __future__ import annotations

import os
import sys

from . import log, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

DEEPEST = 12
_PROBE = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120
_PACKAGE = os.path.dirname(_PROBE.rstrip(os.sep))  # noqa: PTH120
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep  # noqa: PTH100, PTH120
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_PART_OF_TORCH = f"{os.sep}torch{os.sep}"

# Parts of torch that issue calls on their own account, by their place in the package. Later ones are more specific.
_ISSUERS = (
    ("autograd/", "autograd"),
    ("_tensor.py", "autograd"),
    ("nn/parallel/distributed.py", "DistributedDataParallel"),
    ("nn/modules/_functions.py", "SyncBatchNorm"),
    ("nn/modules/batchnorm.py", "SyncBatchNorm"),
    ("distributed/tensor/", "DTensor"),
    ("distributed/_tensor/", "DTensor"),
    ("distributed/fsdp/", "FullyShardedDataParallel"),
    ("distributed/_composable/fsdp/", "FullyShardedDataParallel"),
    ("distributed/checkpoint/", "checkpoint"),
    ("distributed/optim/zero_redundancy_optimizer.py", "ZeroRedundancyOptimizer"),
    ("distributed/algorithms/join.py", "Join"),
    ("distributed/pipelining/", "pipelining"),
    ("distributed/rpc/", "rpc"),
)

placed: dict[int, CodeType] = {}
"""Codes of the probe that stand in torch's functions, by their ``id``."""

USER = None
"""The kind of a frame of the program; frames of torch have the name of the issuer or an empty text."""
AUTOGRAD = "autograd"


class Kinds(dict):  # type: ignore[type-arg]
    """What each code object belongs to, by its ``id``; the code objects are kept alive for that."""

    def of(self, code: CodeType) -> str | None:
        """USER, or the name of the issuer in torch, or an empty text for the rest of torch, Python and the probe."""
        known = self.get(id(code))
        if known is None:
            known = self[id(code)] = (code, _kind(code.co_filename))
        return known[1]  # type: ignore[no-any-return]


KINDS = Kinds()
_ids: dict[tuple[int, ...], int] = {}


def _kind(path: str) -> str | None:
    if path.startswith("<frozen") or of_probe(os.path.abspath(path)):  # noqa: PTH100
        return ""
    torch = sys.modules.get("torch")
    root = _torch_root(torch)
    if root and path.startswith(root):
        inner = path[len(root) :].replace(os.sep, "/")
        return next((name for place, name in reversed(_ISSUERS) if inner.startswith(place)), "")
    if path.startswith(_STANDARD) and not any(part in path for part in _PACKAGES):
        return ""
    if path.startswith("<") and path.startswith(("<eval_with_key>", "<torch")):
        return ""
    return USER


def of_probe(path: str) -> bool:
    """Whether a file is the probe's own, or one of those beside it that start programs (``warm``, ``dry``)."""
    return path.startswith(_PROBE) or os.path.dirname(path) == _PACKAGE  # noqa: PTH120


def _torch_root(torch: Any) -> str:
    origin = getattr(torch, "__file__", None)
    return os.path.dirname(origin) + os.sep if origin else ""  # noqa: PTH120


def locate(frame: FrameType | None) -> tuple[FrameType | None, str]:
    """The innermost frame of the program from ``frame`` outwards, and who in torch issues the call for it, or "".

    Of several issuers the one nearest to the program counts: DTensor inside of FullyShardedDataParallel is the latter.
    """
    issuer = ""
    while frame is not None:
        kind = KINDS.of(frame.f_code)
        if kind is USER:
            return frame, issuer
        if kind and (kind != AUTOGRAD or not issuer):
            issuer = kind
        frame = frame.f_back
    return None, issuer


def site(frame: FrameType | None) -> int:
    """The number of the site whose innermost frame of the program is ``frame``; writes it the first time."""
    key = _key(frame)
    number = _ids.get(key)
    if number is None:
        with log.LOG.lock:
            number = _ids.get(key)
            if number is None:
                number = len(_ids)
                log.LOG.fact("site", {"id": number, "frames": frames(frame)})
                _ids[key] = number
    return number


def _key(frame: FrameType | None) -> tuple[int, ...]:
    key: list[int] = []
    while frame is not None and len(key) < 2 * DEEPEST:
        if KINDS.of(frame.f_code) is USER:
            key += (id(frame.f_code), frame.f_lasti)
        frame = frame.f_back
    return tuple(key)


def here(depth: int) -> int:
    """The site of whoever called the function ``depth`` frames above this one."""
    try:
        start: FrameType | None = sys._getframe(depth + 1)
    except ValueError:
        start = None
    return site(locate(start)[0])


def frames(frame: FrameType | None) -> list[dict[str, Any]]:
    """The stack from ``frame`` outwards without torch, Python's own library and the probe."""
    found: list[dict[str, Any]] = []
    while frame is not None and len(found) < DEEPEST:
        code = frame.f_code
        if KINDS.of(code) is USER:
            found.append(_frame(code, frame.f_lineno))
        frame = frame.f_back
    return found


def frames_of_traceback(traceback: Any) -> list[dict[str, Any]]:
    """The same of a traceback, innermost first."""
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if KINDS.of(code) is USER:
            found.append(_frame(code, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found[::-1][:DEEPEST]


def _frame(code: CodeType, line: int | None) -> dict[str, Any]:
    path = code.co_filename
    if not path.startswith("<"):
        path = os.path.abspath(path)  # noqa: PTH100
    name = getattr(code, "co_qualname", code.co_name)
    return {"path": path, "line": line or code.co_firstlineno, "function": name}


def _reset() -> None:
    _ids.clear()


process.reset_in_forks(_reset)
