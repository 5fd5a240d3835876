"""What the probe knows of each function of ``torch.distributed``: its name in the log and which parameter says what."""

from __future__ import annotations

from dataclasses import dataclass

COLLECTIVE, SEND, RECEIVE = "collective", "send", "receive"


@dataclass(frozen=True)
class Operation:
    """One function. Parameters are told by name, so that they may move between versions of torch."""

    op: str
    family: str = COLLECTIVE
    tensor: str = ""
    """The parameter that holds what this rank puts in, or receives into."""
    tensors: str = ""
    """The same where it is a list."""
    root: str = ""
    """The parameter with the rank in the world; the rank in the group is in ``group_<root>``."""
    coalesces: bool = False
    """Whether inside of the coalescing manager it is put off to the end of the block, and issued there."""


def _one(op: str, tensor: str = "tensor", **more: object) -> Operation:
    return Operation(op, tensor=tensor, **more)  # type: ignore[arg-type]


FUNCTIONS = {
    "all_reduce": _one("all_reduce", coalesces=True),
    "all_reduce_coalesced": Operation("all_reduce", tensors="tensors"),
    "broadcast": _one("broadcast", root="src"),
    "reduce": _one("reduce", root="dst"),
    "all_gather": _one("all_gather"),
    "all_gather_coalesced": Operation("all_gather", tensors="input_tensor_list"),
    "all_gather_into_tensor": _one("all_gather_into_tensor", "input_tensor", coalesces=True),
    "all_gather_single": _one("all_gather_into_tensor", "input_tensor", coalesces=True),
    "_all_gather_base": _one("all_gather_into_tensor", "input_tensor"),
    "all_gather_object": Operation("all_gather_object"),
    "gather": _one("gather", root="dst"),
    "gather_single": _one("gather_into_tensor", root="dst"),
    "gather_into_tensor": _one("gather_into_tensor", root="dst"),
    "gather_object": Operation("gather_object", root="dst"),
    "scatter": _one("scatter", root="src"),
    "scatter_object_list": Operation("scatter_object_list", root="src"),
    "reduce_scatter": Operation("reduce_scatter", tensors="input_list"),
    "reduce_scatter_tensor": _one("reduce_scatter_tensor", "input", coalesces=True),
    "reduce_scatter_single": _one("reduce_scatter_tensor", "input", coalesces=True),
    "_reduce_scatter_base": _one("reduce_scatter_tensor", "input"),
    "all_to_all": Operation("all_to_all", tensors="input_tensor_list"),
    "all_to_all_single": _one("all_to_all_single", "input"),
    "barrier": Operation("barrier"),
    "monitored_barrier": Operation("monitored_barrier"),
    "broadcast_object_list": Operation("broadcast_object_list", root="src"),
    "send": _one("send", family=SEND, root="dst"),
    "isend": _one("isend", family=SEND, root="dst"),
    "recv": _one("recv", family=RECEIVE, root="src"),
    "irecv": _one("irecv", family=RECEIVE, root="src"),
    "send_object_list": Operation("send_object_list", SEND, root="dst"),
    "recv_object_list": Operation("recv_object_list", RECEIVE, root="src"),
}
