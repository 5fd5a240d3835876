"""Calls: what is logged when one is entered, returns or raises. The hot path of the probe.

``wrap`` makes the function that stands in for one of torch. It looks the call up by what can be had cheaply (the caller
and its caller, group, operands); only a combination that was not seen before takes the long way through ``_learn``. The
outermost call of a thread counts: what it calls in turn is not logged.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import _local
from itertools import count
from types import FrameType
from typing import Any, Callable

from . import groups, handles, labels, log, process, sites
from .operations import COLLECTIVE, Operation
from .swap import Place

NOT_LOGGED = -1
"""The signature of a call that concerns nobody: the process is not in the group, or torch will refuse the arguments."""
LABELLED = -2
"""The signature of the first call whose label has to be looked up each time; those of further ones are below it."""
MOST_TENSORS = 16


class State:
    """What the probe knows of a thread."""

    __slots__ = ("busy", "thread")

    def __init__(self, thread: int) -> None:
        self.busy = False
        """Whether a call is being logged: those inside of it are not."""
        self.thread = thread


LOCAL = _local()
_threads = count()
_signatures: dict[str, int] = {}
_caches: list[Any] = []


def state() -> State:
    """The state of this thread."""
    try:
        return LOCAL.state  # type: ignore[no-any-return]
    except AttributeError:
        LOCAL.state = State(next(_threads))
        return LOCAL.state  # type: ignore[no-any-return]


_WRAPPER = """
def wrapper({parameters}):
    try:
        state = LOCAL.state
    except AttributeError:
        state = new_state()
    fd = LOG.fd
    if state.busy{put_off}:
        return original({passed})
    if fd < 0:
        fd = LOG.open()
        if fd < 0:
            return original({passed})
    frame = getframe({depth})
    try:
        around = frame.f_back or frame
        key = (id(frame.f_code), frame.f_lasti, id(around.f_code), around.f_lasti, {key})
        signature = seen[key]
    except KeyError:
        signature = learn(seen, key, frame, {arguments})
    except Exception:
        signature = -1
    if signature < 0:
        if signature < -1:
            known = relabelled(signature, frame)
            signature = labelled(signature, frame, {arguments}) if known is None else known
        if signature < 0:
            return original({passed})
    call = shared.next_call()
    state.busy = True
    try:
        write(fd, b"[0,%d,%d,%d,%d]\\n" % (call, signature, state.thread, clock() // 1000))
    except OSError as error:
        give_up(error)
    try:
        result = original({passed})
    except BaseException:
        state.busy = False
        raised(call)
        raise
    state.busy = False
    try:
        write(LOG.fd, b"[1,%d,%d]\\n" % (call, clock() // 1000))
    except OSError as error:
        give_up(error)
    {track}
    return result
"""


class Shared:
    """What all wrappers share and a fork resets."""

    __slots__ = ("next_call",)

    def __init__(self) -> None:
        self.next_call = count().__next__


SHARED = Shared()


def wrap(operation: Operation, place: Place) -> Callable[..., Any]:
    """The function that stands in for ``place``."""
    names = place.names
    # The frame of the caller: beyond the wrapper, the code put into torch's function, and its decorators.
    depth = 2 + place.decorators
    handle = "async_op" if "async_op" in names else "True" if operation.op in ("isend", "irecv") else ""
    seen: dict[Any, int] = {}
    recipe = _Recipe(operation, names)
    _caches.extend((seen, recipe.labels))
    scope: dict[str, Any] = {
        "LOCAL": LOCAL,
        "LOG": log.LOG,
        "clock": time.monotonic_ns,
        "coalescing": groups.coalescing(),
        "getframe": sys._getframe,
        "give_up": _give_up,
        "group_of": groups.real,
        "labelled": recipe.labelled,
        "learn": recipe.learn,
        "relabelled": recipe.relabelled,
        "new_state": state,
        "original": place.original,
        "raised": raised,
        "seen": seen,
        "shared": SHARED,
        "track": handles.track,
        "write": os.write,
    }
    source = _WRAPPER.format(
        parameters=", ".join([*place.positional, *(["*"] if place.keyword else []), *place.keyword]),
        passed=place.passed,
        depth=depth,
        key=recipe.key,
        arguments="{" + ", ".join(f"{name!r}: {name}" for name in names) + "}",
        put_off=" or (coalescing and group_of(group) in coalescing)" if operation.coalesces else "",
        track=f"if {handle} and not coalescing:\n        track(call, result)" if handle else "",
    )
    exec(compile(source, os.path.join(os.path.dirname(__file__), "wrapper"), "exec"), scope)  # noqa: PTH118, PTH120
    wrapper: Callable[..., Any] = scope["wrapper"]
    wrapper._torchdynamo_disable = True  # type: ignore[attr-defined]
    return wrapper


class _Recipe:
    """How the arguments of one function become a signature."""

    def __init__(self, operation: Operation, names: tuple[str, ...]) -> None:
        self.operation = operation
        self.names = names
        self.labels: list[tuple[tuple[tuple[str, str], ...], dict[tuple[str | None, ...], int]]] = []
        """For places where labels differ: what is looked at, and the signature for what it holds."""
        parts = [f"id({name})" for name in ("group", "op") if name in names]
        plain = ("src", "dst", "group_src", "group_dst", "tag", "async_op")
        parts += [name for name in plain if name in names]
        if operation.tensor in names:
            parts += [f"{operation.tensor}.shape", f"{operation.tensor}.dtype"]
        if operation.tensors in names:
            parts.append(f"tuple([(each.shape, each.dtype) for each in {operation.tensors}])")
        self.key = ", ".join(parts)

    def learn(self, seen: dict[Any, int], key: Any, frame: FrameType, arguments: dict[str, Any]) -> int:
        """The signature of a call that was not seen before; NOT_LOGGED for one that issues nothing."""
        try:
            user, issuer = sites.locate(frame)
            names = labels.candidates(frame) if user is frame else ()
            texts = labels.texts(names, frame)
            label = labels.label(names, texts)
            number = self._intern(user, issuer, label, arguments)
            if user is frame and number != NOT_LOGGED and _lasting(arguments.get("op")):
                if label:
                    with log.LOG.lock:
                        seen[key] = LABELLED - len(self.labels)
                        self.labels.append((names, {texts: number}))
                else:
                    seen[key] = number
            return number
        except Exception:
            return NOT_LOGGED

    def relabelled(self, signature: int, frame: FrameType) -> int | None:
        """The signature of a call of a place where labels differ; nothing where this label is a new one."""
        try:
            names, numbers = self.labels[LABELLED - signature]
            return numbers.get(labels.texts(names, frame))
        except Exception:
            return NOT_LOGGED

    def labelled(self, signature: int, frame: FrameType, arguments: dict[str, Any]) -> int:
        """The same for a new label."""
        try:
            names, numbers = self.labels[LABELLED - signature]
            texts = labels.texts(names, frame)
            number = numbers[texts] = self._intern(frame, "", labels.label(names, texts), arguments)
            return number
        except Exception:
            return NOT_LOGGED

    def _intern(self, frame: FrameType | None, issuer: str, label: str, arguments: dict[str, Any]) -> int:
        operation = self.operation
        group = groups.number(arguments.get("group"))
        if group is None:
            return NOT_LOGGED
        root = self._root(arguments)
        tensors = [arguments[operation.tensor]] if operation.tensor else []
        if operation.tensors:
            tensors = list(arguments[operation.tensors])
        return intern(
            operation.op,
            operation.family,
            sites.site(frame),
            group=group,
            reduce=reduce_name(arguments["op"]) if "op" in arguments else None,
            root=root if operation.family == COLLECTIVE else None,
            peer=root if operation.family != COLLECTIVE else None,
            tag=arguments.get("tag") or 0,
            tensors=described(tensors),
            asynchronous=self._asynchronous(arguments),
            implicit=issuer,
            label=label,
        )

    def _asynchronous(self, arguments: dict[str, Any]) -> bool:
        # Inside of the coalescing manager the handle is the block's.
        if groups.coalescing():
            return False
        return bool(arguments.get("async_op", self.operation.op in ("isend", "irecv")))

    def _root(self, arguments: dict[str, Any]) -> int | None:
        name = self.operation.root
        if not name:
            return None
        in_world, in_group = arguments.get(name), arguments.get(f"group_{name}")
        if in_world is not None:
            return int(in_world)
        if in_group is not None:
            return groups.world_rank(arguments.get("group"), int(in_group))
        # Collectives take rank 0 when nothing is said; a message comes from anyone.
        return 0 if self.operation.family == COLLECTIVE else None


def intern(op: str, family: str, site: int, **more: Any) -> int:
    """The number of a signature; writes it the first time."""
    content: dict[str, Any] = {
        "op": op,
        "family": family,
        "group": None,
        "site": site,
        "reduce": None,
        "root": None,
        "peer": None,
        "tag": 0,
        "tensors": [],
        "asynchronous": False,
        "members": [],
        "implicit": "",
        "label": "",
        "place": "",
        **more,
    }
    text = log.dumps(content)
    number = _signatures.get(text)
    if number is None:
        with log.LOG.lock:
            number = _signatures.get(text)
            if number is None:
                number = len(_signatures)
                log.LOG.fact("signature", {"id": number, **content})
                _signatures[text] = number
    return number


def issue(signature: int, run: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Runs a call and logs it under ``signature``."""
    return issue_as(SHARED.next_call(), signature, run, *args, **keywords)


def issue_as(call: int, signature: int, run: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """The same under a number that was taken before."""
    mine = state()
    log.LOG.write(b"[0,%d,%d,%d,%d]\n" % (call, signature, mine.thread, log.now()))
    mine.busy = True
    try:
        result = run(*args, **keywords)
    except BaseException:
        raised(call)
        raise
    finally:
        mine.busy = False
    log.LOG.write(b"[1,%d,%d]\n" % (call, log.now()))
    return result


def raised(call: int) -> None:
    """Logs that a call has raised."""
    log.LOG.write(b"[2,%d,%d]\n" % (call, log.now()))


def described(tensors: list[Any]) -> list[dict[str, Any]]:
    """Types and sizes of tensors."""
    return [
        {"dtype": str(each.dtype).replace("torch.", ""), "shape": [int(size) for size in each.shape]}
        for each in tensors[:MOST_TENSORS]
    ]


def reduce_name(op: Any) -> str:
    """``SUM``, ``PREMUL_SUM``, … of a ReduceOp, one of its types, or the text of the functional forms."""
    if isinstance(op, str):
        return op.upper()
    for name, member in groups.module().ReduceOp.RedOpType.__members__.items():
        if op == member:
            return str(name)
    return str(getattr(op, "name", None) or type(op).__name__)


def _lasting(op: Any) -> bool:
    """Whether the identity of a reduction lasts: types do, operators made for one call do not."""
    return op is None or type(op).__name__ == "RedOpType"


def _give_up(error: OSError) -> None:
    if log.LOG.fd >= 0:
        log.LOG.give_up(error.strerror or "the log cannot be written")


def _forget() -> None:
    for seen in _caches:
        seen.clear()


def _reset() -> None:
    global _threads
    _threads = count()
    if hasattr(LOCAL, "state"):
        LOCAL.state.thread = next(_threads)
    SHARED.next_call = count().__next__
    _signatures.clear()
    _forget()


groups.when_forgotten(_forget)
process.reset_in_forks(_reset)
