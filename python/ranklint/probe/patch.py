"""What is done to torch when it is imported."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

from . import calls, dispatcher, environment, groups, log, process, sites, swap, writes
from .operations import FUNCTIONS

LOCAL = 1
"""The tag of a group that only its members make."""


def torch(module: Any) -> None:
    """torch was imported."""
    log.LOG.stand("torch", {"version": str(module.__version__), "devices": 0})
    dispatcher.torch_is_imported()
    writes.watch_torch(module)


def data_parallel(module: Any) -> None:
    """``torch.nn.parallel.distributed`` was imported."""
    made = module.DistributedDataParallel
    original = made.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        dispatcher.watch_data_parallel()
        original(self, *args, **keywords)

    made.__init__ = __init__


def distributed(module: Any) -> None:
    """``torch.distributed.distributed_c10d`` was imported."""
    for name, operation in FUNCTIONS.items():
        place = swap.find(getattr(module, name, None))
        if place is not None:
            swap.put(place, calls.wrap(operation, place))
    for name, around in _AROUND.items():
        place = swap.find(getattr(module, name, None))
        if place is not None:
            swap.put(place, _wrap(place, around))
    writes.watch_file_store(module)


Around = Callable[[str, Callable[[], Any], "dict[str, Any]"], Any]


def _wrap(place: swap.Place, around: Around) -> Callable[..., Any]:
    def wrapper(*args: Any, **keywords: Any) -> Any:
        run = functools.partial(place.original, *args, **keywords)
        if calls.state().busy or log.LOG.open() < 0:
            return run()
        return around(place.original.__name__, run, {**dict(zip(place.names, args)), **keywords})

    wrapper._torchdynamo_disable = True  # type: ignore[attr-defined]
    return wrapper


def _signature(op: str, family: str, **more: Any) -> int:
    frame, issuer = sites.locate(sys._getframe(2))
    return calls.intern(op, family, sites.site(frame), implicit=issuer, **more)


def _join(op: str, run: Callable[[], Any], arguments: dict[str, Any]) -> Any:
    try:
        announced = _who(arguments)
        if announced is not None:
            log.LOG.fact("joined", announced)
        environment.snapshot()
        signature = _signature(op, "join")
    except Exception:
        return run()
    result = calls.issue(signature, run)
    try:
        module = groups.module()
        known = {"rank": module.get_rank(), "world": module.get_world_size()}
        if known != announced:
            log.LOG.fact("joined", known)
        environment.joined()
        groups.number(None)
    except Exception:
        return result
    return result


def _who(arguments: dict[str, Any]) -> dict[str, int] | None:
    """Rank and size of the world as far as the arguments and the environment tell before the call."""
    rank, world = arguments.get("rank", -1), arguments.get("world_size", -1)
    method = arguments.get("init_method")
    query = parse_qs(urlsplit(method).query) if isinstance(method, str) else {}
    if rank is None or rank < 0:
        rank = int(query["rank"][0]) if "rank" in query else log.number("RANK")
    if world is None or world < 0:
        world = int(query["world_size"][0]) if "world_size" in query else log.number("WORLD_SIZE")
    if rank is None or world is None:
        return None
    return {"rank": int(rank), "world": int(world)}


def _leave(op: str, run: Callable[[], Any], arguments: dict[str, Any]) -> Any:
    group = arguments.get("group")
    try:
        everything = group is None or group is groups.default()
        signature = _signature(op, "leave", group=None if everything else groups.number(group))
    except Exception:
        return run()
    try:
        return calls.issue(signature, run)
    finally:
        groups.left(None if everything else group)


def _make(op: str, run: Callable[[], Any], arguments: dict[str, Any]) -> Any:
    try:
        ranks = arguments.get("ranks")
        local = bool(arguments.get("use_local_synchronization"))
        world = groups.module().get_world_size()
        signature = _signature(
            "new_group",
            "make_group",
            group=groups.number(None),
            members=sorted(int(rank) for rank in ranks) if ranks else list(range(world)),
            tag=LOCAL if local else 0,
        )
    except Exception:
        return run()
    return _made(calls.issue(signature, run))


def _split(op: str, run: Callable[[], Any], arguments: dict[str, Any]) -> Any:
    """``split_group`` makes a group of each list of ranks at once: its members here are those of all of them."""
    try:
        parent = arguments.get("parent_pg", arguments.get("group"))
        parts = arguments.get("split_ranks")
        if parts is None:
            gone = set(arguments.get("ranks_to_exclude") or ())
            ranks = [rank for rank in groups.module().get_process_group_ranks(parent) if rank not in gone]
        else:
            ranks = [groups.world_rank(parent, int(rank)) for part in parts for rank in part]
        signature = _signature(op, "make_group", group=groups.number(parent), members=sorted(ranks))
    except Exception:
        return run()
    return _made(calls.issue(signature, run))


def _made(group: Any) -> Any:
    process.group_made()
    try:
        if group is not None:
            groups.number(group)
    except Exception:
        return group
    return group


_AROUND: dict[str, Around] = {
    "init_process_group": _join,
    "destroy_process_group": _leave,
    "new_group": _make,
    "_new_group_with_tag": _make,
    "split_group": _split,
    "shrink_group": _split,
}
