"""One direction pair of the control plane: sends packed messages, receives them in the order of the contract.

The lock covers the whole commitment sequence (id, header, meta, tensors). After the header nothing is decided any
more, and nothing is repaired: whatever fails then ends the process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

import torch
import torch.distributed as dist

from .errors import EnvelopeError, PeerLostError
from .framing import DTYPES, HEADER_FIELDS, VERSION, Action, Field, Header, Packed, collect, pack, unpack_meta
from .journal import Journal
from .watchdog import Watchdog


class Wire(Protocol):
    """Moves one tensor to whoever is at the other end."""

    name: str

    def put(self, tensor: torch.Tensor) -> None:
        """Sends; blocks until the buffer may be used again."""

    def get(self, tensor: torch.Tensor) -> None:
        """Receives into `tensor`."""


class BroadcastWire:
    """From the leader to all others of `group`; `source` is a *global* rank."""

    def __init__(self, group: dist.ProcessGroup, source: int) -> None:
        self.name = "mesh_pg"
        self._group = group
        self._source = source

    def put(self, tensor: torch.Tensor) -> None:
        """See `Wire`."""
        dist.broadcast(tensor, src=self._source, group=self._group)

    def get(self, tensor: torch.Tensor) -> None:
        """See `Wire`."""
        dist.broadcast(tensor, src=self._source, group=self._group)


class PairWire:
    """Between this rank and `peer`, a global rank, point to point."""

    def __init__(self, group: dist.ProcessGroup, peer: int) -> None:
        self.name = "pp_pg"
        self._group = group
        self._peer = peer

    def put(self, tensor: torch.Tensor) -> None:
        """See `Wire`."""
        dist.send(tensor, dst=self._peer, group=self._group)

    def get(self, tensor: torch.Tensor) -> None:
        """See `Wire`."""
        dist.recv(tensor, src=self._peer, group=self._group)


@contextmanager
def peer_may_be_lost(what: str, wire: Wire) -> Iterator[None]:
    """A broken connection, named. There is no time-out and retry: after either, the pair is dead."""
    try:
        yield
    except RuntimeError as error:
        raise PeerLostError(f"peer lost while {what} it on {wire.name}: {error}") from error


class Link:
    """The only caller of its wire. Messages of one sender carry strictly increasing ids, over all actions."""

    def __init__(self, wire: Wire, device: torch.device, journal: Journal, watchdog: Watchdog) -> None:
        self._wire = wire
        self._device = device
        self._journal = journal
        self._watchdog = watchdog
        self._lock = threading.Lock()
        self._sent_id = 0
        self._seen_id = 0

    def prepare(
        self, action: Action, place: tuple[int, int], meta: Mapping[str, object], fields: Mapping[str, Field]
    ) -> Packed:
        """The preflight: packs a message without sending it; `place` = chunk, epoch. Raises `PreflightError`."""
        return pack(action, (0, *place), meta, fields, self._device)

    def commit(self, packed: Packed, answers: int | None = None) -> int:
        """The commitment point and what follows it: header, meta, tensors in manifest order. Returns the call id.

        A message gets the next id of this sender; an answer keeps the id of what it answers.
        """
        with self._lock:
            if answers is None:
                self._sent_id += 1
            header = replace(packed.header, call_id=self._sent_id if answers is None else answers)
            self.log("send", header)
            self._put(header.to_tensor(self._device))
            self._put(torch.frombuffer(bytearray(packed.meta), dtype=torch.uint8).to(self._device))
            for tensor in packed.tensors:
                self._put(tensor)
        return header.call_id

    def send_bare(self, action: Action, chunk_index: int = -1, cache_epoch: int = -1) -> None:
        """`NOOP` or a terminal action: a header and nothing else."""
        with self._lock:
            self._sent_id += 1
            header = Header(VERSION, action, self._sent_id, chunk_index, cache_epoch)
            self.log("send", header)
            self._put(header.to_tensor(self._device))

    def receive_header(self) -> Header:
        """Waits for the next header, watched. Raises `EnvelopeError`, or `PeerLostError` when the connection closes."""
        buffer = torch.zeros(HEADER_FIELDS, dtype=torch.int64, device=self._device)
        self._get(buffer)
        header = Header.from_tensor(buffer)
        self.log("receive", header)
        if header.action != Action.RESULT:
            if header.call_id <= self._seen_id:
                raise EnvelopeError(f"call_id {header.call_id} after {self._seen_id}")
            self._seen_id = header.call_id
        return header

    def receive_body(self, header: Header) -> tuple[dict[str, object], dict[str, torch.Tensor | None]]:
        """Meta and tensors of `header`; allocates strictly from the manifest. Raises `EnvelopeError`."""
        raw = torch.zeros(header.meta_bytes, dtype=torch.uint8, device=self._device)
        self._get(raw)
        meta, absent, specs = unpack_meta(header, bytes(raw.cpu().tolist()))
        tensors = [torch.zeros(spec.shape, dtype=DTYPES[spec.dtype], device=self._device) for spec in specs]
        for tensor in tensors:
            self._get(tensor)
        return meta, collect(specs, tensors, absent)

    def _put(self, tensor: torch.Tensor) -> None:
        """Sends one tensor, watched. Raises `PeerLostError`."""
        with self._watchdog.armed(), peer_may_be_lost("sending to", self._wire):
            self._wire.put(tensor)

    def _get(self, tensor: torch.Tensor) -> None:
        """Receives one tensor, watched. Raises `PeerLostError`."""
        with self._watchdog.armed(), peer_may_be_lost("waiting for", self._wire):
            self._wire.get(tensor)

    def log(self, event: str, header: Header) -> None:
        """The ids of a header, in the journal."""
        self._journal(
            event,
            action=Action(header.action).name,
            version=header.version,
            call_id=header.call_id,
            chunk_index=header.chunk_index,
            cache_epoch=header.cache_epoch,
            group=self._wire.name,
            specs=header.spec_count,
        )
