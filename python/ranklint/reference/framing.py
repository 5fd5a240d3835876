"""Bytes of a message: fixed header, canonical meta with the manifest, tensors (supplement sections 4.1, 4.5, 4.8, 4.9).

`pack` does everything that can fail. What it returns can be sent without another decision.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import Union

import torch

from .errors import EnvelopeError, PreflightError

VERSION = 1
HEADER_FIELDS = 8
MAX_DIMENSIONS = 8
# What may travel. torch.bool stays out on purpose: cast it while building.
DTYPES = {
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float32": torch.float32,
    "int64": torch.int64,
    "int32": torch.int32,
    "uint8": torch.uint8,
}

Field = Union[torch.Tensor, Sequence[torch.Tensor], None]


class Action(IntEnum):
    """What a header announces. `SHUTDOWN` and `ERROR` are terminal: nothing follows them."""

    NOOP = 0
    INFER = 1
    SHUTDOWN = 2
    ERROR = 3
    RESULT = 4


@dataclass(frozen=True)
class Header:
    """Eight int64. Counts and sizes stand here because the transport compares none of them."""

    version: int
    action: int
    call_id: int
    chunk_index: int
    cache_epoch: int
    spec_count: int = 0
    meta_bytes: int = 0
    payload_bytes: int = 0

    def to_tensor(self, device: torch.device) -> torch.Tensor:
        """Shape [8], int64."""
        return torch.tensor(astuple(self), dtype=torch.int64, device=device)

    @staticmethod
    def from_tensor(tensor: torch.Tensor) -> Header:
        """Raises `EnvelopeError` on a version or action this side does not speak, before anything is allocated."""
        header = Header(*tensor.tolist())
        if header.version != VERSION:
            raise EnvelopeError(f"header version {header.version}, this side speaks {VERSION}")
        if header.action not in list(Action):
            raise EnvelopeError(f"unknown action {header.action}")
        return header


@dataclass(frozen=True)
class TensorSpec:
    """One line of the manifest; `index` is the position inside a list-valued field, 0 for a plain one."""

    key: str
    index: int
    shape: tuple[int, ...]
    dtype: str

    @property
    def nbytes(self) -> int:
        """Bytes on the wire."""
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize


@dataclass(frozen=True)
class Packed:
    """A message that has passed its preflight."""

    header: Header
    meta: bytes
    specs: tuple[TensorSpec, ...]
    tensors: tuple[torch.Tensor, ...]


def encode(value: object, path: str = "meta") -> bytes:
    """Canonical UTF-8 JSON of plain data: the same bytes for wire, digest and log.

    Raises `PreflightError` naming the path of whatever is not int, finite float, bool, str, None, list, or dict with
    str keys.
    """
    require_plain(value, path)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def require_plain(value: object, path: str) -> None:
    """The recursive half of `encode`."""
    if value is None or isinstance(value, (bool, int, str)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise PreflightError(f"{path} is {value}; meta holds finite numbers only")
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise PreflightError(f"{path} has the key {key!r}; keys of meta are strings")
            require_plain(inner, f"{path}.{key}")
        return
    if isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            require_plain(inner, f"{path}[{index}]")
        return
    raise PreflightError(f"{path} is a {type(value).__name__}, which meta cannot hold")


def list_tensors(fields: Mapping[str, Field]) -> list[tuple[str, int, torch.Tensor]]:
    """Tensors with their place, sorted by key and index; fields that are None have none."""
    listed = []
    for key in sorted(fields):
        value = fields[key]
        members = [] if value is None else [value] if isinstance(value, torch.Tensor) else list(value)
        for index, member in enumerate(members):
            if not isinstance(member, torch.Tensor):
                raise PreflightError(f"{key}[{index}] is a {type(member).__name__}, not a tensor")
            listed.append((key, index, member))
    return listed


def make_spec(key: str, index: int, tensor: torch.Tensor) -> TensorSpec:
    """The manifest line of one tensor. Raises `PreflightError` on a dtype outside the map or an empty or odd shape."""
    dtype = str(tensor.dtype).replace("torch.", "")
    if dtype not in DTYPES:
        raise PreflightError(
            f"{key}[{index}] has dtype {dtype}, which is not in the wire's map ({', '.join(sorted(DTYPES))})"
        )
    if tensor.dim() > MAX_DIMENSIONS or 0 in tensor.shape:
        raise PreflightError(f"{key}[{index}] has shape {tuple(tensor.shape)}")
    return TensorSpec(key, index, tuple(tensor.shape), dtype)


def pack(
    action: Action,
    ids: tuple[int, int, int],
    meta: Mapping[str, object],
    fields: Mapping[str, Field],
    device: torch.device,
) -> Packed:
    """The second half of the sender's preflight (supplement section 4.5, 2 to 5); `ids` = call, chunk, epoch.

    Raises `PreflightError`. Copies and moves tensors here, not after the header: gloo refuses what is not contiguous.
    """
    listed = list_tensors(fields)
    specs = tuple(make_spec(*one) for one in listed)
    manifest = [[spec.key, spec.index, list(spec.shape), spec.dtype] for spec in specs]
    body = encode(
        {"meta": dict(meta), "absent": sorted(k for k, v in fields.items() if v is None), "specs": manifest}, ""
    )
    tensors = tuple(tensor.to(device).contiguous() for _, _, tensor in listed)
    payload = sum(spec.nbytes for spec in specs)
    return Packed(Header(VERSION, action, *ids, len(specs), len(body), payload), body, specs, tensors)


def unpack_meta(header: Header, body: bytes) -> tuple[dict[str, object], list[str], tuple[TensorSpec, ...]]:
    """Meta, names of absent fields, manifest.

    Raises `EnvelopeError` when they contradict the header; allocates no tensor.
    """
    try:
        decoded = json.loads(body)
        specs = tuple(TensorSpec(key, index, tuple(shape), dtype) for key, index, shape, dtype in decoded["specs"])
        meta, absent = decoded["meta"], decoded["absent"]
    except (ValueError, KeyError, TypeError) as error:
        raise EnvelopeError(f"meta of call {header.call_id} cannot be read: {error}") from error
    unknown = sorted({spec.dtype for spec in specs} - set(DTYPES))
    if unknown:
        raise EnvelopeError(f"manifest of call {header.call_id} has dtype {', '.join(unknown)}")
    if len(specs) != header.spec_count or sum(spec.nbytes for spec in specs) != header.payload_bytes:
        raise EnvelopeError(f"manifest of call {header.call_id} disagrees with its header")
    return meta, absent, specs


def collect(
    specs: Sequence[TensorSpec], tensors: Sequence[torch.Tensor], absent: Sequence[str]
) -> dict[str, torch.Tensor | None]:
    """Fields by name from what was received; list-valued fields become stacked keys `name[1]`, `name[2]`, …"""
    fields: dict[str, torch.Tensor | None] = dict.fromkeys(absent)
    for spec, tensor in zip(specs, tensors):
        fields[spec.key if spec.index == 0 else f"{spec.key}[{spec.index}]"] = tensor
    return fields
