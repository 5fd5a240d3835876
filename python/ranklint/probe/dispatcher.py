"""Calls that no Python function of ``torch.distributed`` stands for, seen at torch's dispatcher.

Every process group's C++ methods go through the operators ``c10d::*``, functional collectives through
``_c10d_functional::*``. A kernel under the key BackendSelect is met on every call, whatever the tensors, in every
thread and under inference mode; it logs and passes on. As it costs some 10 µs, even below calls that are logged
already, the operators that plain calls go through are watched only once something in C++ issues calls on its own
account: the reducer of DistributedDataParallel.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from . import calls, groups, labels, process, sites
from .operations import COLLECTIVE, RECEIVE, SEND

# Operator, name in the log, the argument with what this rank puts in or receives into.
_PLAIN = {
    "allreduce_": ("all_reduce", "tensors"),
    "broadcast_": ("broadcast", "tensors"),
    "reduce_": ("reduce", "tensors"),
    "allgather_": ("all_gather", "input_tensors"),
    "_allgather_base_": ("all_gather_into_tensor", "input_tensor"),
    "allgather_coalesced_": ("all_gather", "input_list"),
    "reduce_scatter_": ("reduce_scatter", "input_tensors"),
    "_reduce_scatter_base_": ("reduce_scatter_tensor", "input_tensor"),
    "gather_": ("gather", "input_tensors"),
    "scatter_": ("scatter", "output_tensors"),
    "alltoall_": ("all_to_all", "input_tensors"),
    "alltoall_base_": ("all_to_all_single", "input"),
    "barrier": ("barrier", ""),
    "send": ("isend", "tensors"),
    "recv_": ("irecv", "tensors"),
    "recv_any_source_": ("irecv", "tensors"),
}
_COALESCED = {
    "allreduce_coalesced_": ("all_reduce", "tensors"),
    "allgather_into_tensor_coalesced_": ("all_gather_into_tensor", "inputs"),
    "reduce_scatter_tensor_coalesced_": ("reduce_scatter_tensor", "inputs"),
}
_FUNCTIONAL = {
    "all_reduce": ("all_reduce", "input"),
    "all_reduce_": ("all_reduce", "input"),
    "all_reduce_coalesced": ("all_reduce", "inputs"),
    "all_reduce_coalesced_": ("all_reduce", "inputs"),
    "all_gather_into_tensor": ("all_gather_into_tensor", "input"),
    "all_gather_into_tensor_out": ("all_gather_into_tensor", "input"),
    "all_gather_into_tensor_coalesced": ("all_gather_into_tensor", "inputs"),
    "reduce_scatter_tensor": ("reduce_scatter_tensor", "input"),
    "reduce_scatter_tensor_out": ("reduce_scatter_tensor", "input"),
    "reduce_scatter_tensor_coalesced": ("reduce_scatter_tensor", "inputs"),
    "all_to_all_single": ("all_to_all_single", "input"),
    "broadcast": ("broadcast", "input"),
    "broadcast_": ("broadcast", "input"),
    "isend": ("isend", "tensor"),
    "irecv": ("irecv", "tensor"),
}
_WAITS = ("wait_tensor", "wait_tensors")
_TENSOR = {"shard_dim_alltoall": ("all_to_all_single", "input")}

_results: dict[int, int] = {}
"""Calls whose results nobody has waited for yet, by the addresses of the results."""
_libraries: dict[str, Any] = {}
_watched: set[str] = set()
_waiting: list[tuple[str, dict[str, tuple[str, str]]]] = []
_ready = False
_data_parallel = False


def torch_is_imported() -> None:
    """Everything the kernels need is there."""
    global _ready
    _ready = True
    _watch("c10d", _COALESCED)
    while _waiting:
        _watch(*_waiting.pop(0))


def watch_functional() -> None:
    """Functional collectives have been imported."""
    _watch("_c10d_functional", _FUNCTIONAL)
    _watch("_c10d_functional", dict.fromkeys(_WAITS, ("", "")))
    _watch("_dtensor", _TENSOR)


def watch_data_parallel() -> None:
    """A DistributedDataParallel is about to be made: its C++ part issues calls from now on."""
    global _data_parallel
    if not _data_parallel:
        _data_parallel = True
        _watch("c10d", _PLAIN)


def _watch(namespace: str, operators: dict[str, tuple[str, str]]) -> None:
    if not _ready:
        _waiting.append((namespace, operators))
        return
    import torch

    library = _libraries.get(namespace)
    if library is None:
        library = _libraries[namespace] = torch.library.Library(namespace, "IMPL")
    packets = getattr(torch.ops, namespace)
    for name, (op, tensors) in operators.items():
        if f"{namespace}::{name}" in _watched or not hasattr(packets, name):
            continue
        _watched.add(f"{namespace}::{name}")
        operator = getattr(packets, name).default
        kind = _Wait if name in _WAITS else _Kernel
        library.impl(name, kind(operator, op, tensors).run, "BackendSelect", with_keyset=True)


class _Kernel:
    """The kernel of one operator."""

    def __init__(self, operator: Any, op: str, tensors: str) -> None:
        import torch

        self.op = op
        self.tensors = tensors
        self.pass_on: Callable[..., Any] = operator.redispatch
        self.names = [argument.name for argument in operator._schema.arguments]
        self.mine = torch._C.DispatchKey.BackendSelect
        self.functional = operator.namespace == "_c10d_functional"
        self.family = {"isend": SEND, "irecv": RECEIVE}.get(op, COLLECTIVE)

    def run(self, keyset: Any, *args: Any, **keywords: Any) -> Any:
        below = keyset.remove(self.mine)
        if calls.state().busy or calls.log.LOG.open() < 0:
            return self.pass_on(below, *args, **keywords)
        try:
            signature = self._signature({**dict(zip(self.names, args)), **keywords})
        except Exception:
            signature = calls.NOT_LOGGED
        if signature == calls.NOT_LOGGED:
            return self.pass_on(below, *args, **keywords)
        call = calls.SHARED.next_call()
        result = calls.issue_as(call, signature, self.pass_on, below, *args, **keywords)
        if self.functional:
            for tensor in _flat(result):
                _results[tensor.data_ptr()] = call
        return result

    def _signature(self, arguments: dict[str, Any]) -> int:
        tensors = _flat(arguments.get(self.tensors))
        if any(each.device.type == "meta" for each in tensors):
            return calls.NOT_LOGGED
        group = _group(arguments)
        number = groups.number(group) if group is not None else None
        if number is None:
            return calls.NOT_LOGGED
        caller = sys._getframe(2)
        frame, issuer = sites.locate(caller)
        if _data_parallel and (issuer == sites.AUTOGRAD or frame is None):
            issuer = "DistributedDataParallel"
        collective = self.family == COLLECTIVE
        names = ("root_rank", "src") if collective else ("src", "dst")
        rank = next((arguments[name] for name in names if name in arguments), None)
        if rank is not None:
            rank = groups.world_rank(group, int(rank))
        reduce = arguments.get("reduce_op")
        if reduce is not None and not isinstance(reduce, str):
            reduce = _unboxed(groups.module().ReduceOp, reduce)
        return calls.intern(
            self.op,
            self.family,
            sites.site(frame),
            group=number,
            reduce=None if reduce is None else calls.reduce_name(reduce),
            root=rank if collective else None,
            peer=None if collective else rank,
            tag=arguments.get("tag", 0),
            tensors=calls.described(tensors),
            asynchronous=self.functional,
            implicit=issuer,
            label=labels.of_frame(frame) if frame is not None and frame is caller else "",
        )


class _Wait(_Kernel):
    """The kernel of the operator that waits for results of functional collectives."""

    def run(self, keyset: Any, *args: Any, **keywords: Any) -> Any:
        below = keyset.remove(self.mine)
        try:
            found = {_results.pop(each.data_ptr(), None) for each in _flat(args[0]) if each.device.type != "meta"}
        except Exception:
            found = set()
        found.discard(None)
        for call in found:
            calls.log.LOG.write(b"[3,%d,%d]\n" % (call, calls.log.now()))
        try:
            return self.pass_on(below, *args, **keywords)
        finally:
            for call in found:
                calls.log.LOG.write(b"[4,%d,%d]\n" % (call, calls.log.now()))


def _flat(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in _flat(each)]
    return [value]


def _group(arguments: dict[str, Any]) -> Any:
    """The group as the object Python knows, which the log tells groups by."""
    boxed = arguments.get("process_group")
    if boxed is not None:
        group = _unboxed(groups.module().ProcessGroup, boxed)
    else:
        group = arguments.get("group_name")
        if isinstance(group, str):
            import torch

            group = torch._C._distributed_c10d._resolve_process_group(group)
    return group


def _unboxed(kind: Any, value: Any) -> Any:
    return value if isinstance(value, kind) else kind.unbox(value)


process.reset_in_forks(_results.clear)
