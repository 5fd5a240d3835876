"""Rank 0 of PP: builds envelopes, decodes results, and overlaps both with the mesh (supplement sections 4.6, 7.3, 7.4).

Two bounded queues lie between the main thread and the comms thread, which alone calls `torch.distributed`. The comms
thread alternates: one envelope out, its result in. The mesh answers in the same order, so neither side ever waits for
the other's send.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from .calls import Geometry, Result, to_wire, validate_call
from .errors import AcceptanceError, ContractError, PeerError, PeerLostError, PreflightError
from .framing import Action, Packed
from .journal import Journal
from .link import Link
from .metrics import Stamps
from .model import decode_frames
from .planner import Planner
from .requests import Request
from .settings import Settings
from .tripwires import hash_tensor

JOIN_S = 30.0


@dataclass(frozen=True)
class Outgoing:
    """An envelope past its preflight; the producer touches it no more."""

    packed: Packed
    expected_calls: int
    stamps: Stamps
    sent: threading.Event


@dataclass(frozen=True)
class Owed:
    """A result the mesh owes: the envelope's ids, its planned calls, its stamps."""

    call_id: int
    chunk_index: int
    cache_epoch: int
    expected_calls: int
    stamps: Stamps


class Stage0:
    """`run` turns requests into emitted chunks; `stamps` holds the times of each emitted chunk."""

    def __init__(self, link: Link, planner: Planner, geometry: Geometry, settings: Settings, journal: Journal) -> None:
        self._link = link
        self._planner = planner
        self._geometry = geometry
        self._settings = settings
        self._hooks = settings.hooks
        self._journal = journal
        self._inflight_to_mesh: queue.Queue[Outgoing | None] = queue.Queue(maxsize=settings.d_in)
        self._ready_for_decode: queue.Queue[Result | BaseException] = queue.Queue(maxsize=settings.d_out)
        self._owed: deque[Owed] = deque()
        self._in_flight = 0
        self._last_accepted = 0
        self._comms = threading.Thread(target=self._pump, name="comms", daemon=True)
        self.stamps: list[Stamps] = []
        self.emitted: list[int] = []

    # ---- the main thread

    def run(self, requests: Iterable[Request]) -> list[int]:
        """Drains and leaves by `SHUTDOWN`; on a failure, tells the mesh what it can still be told, and raises."""
        self._comms.start()
        try:
            for request in requests:
                self._step(request)
            while self._in_flight > 0:
                self._finish_one()
        except (PeerError, PeerLostError):
            raise  # the leader has left; there is nobody to tell
        except PreflightError:
            self._leave(Action.SHUTDOWN)  # refused before its header: the channel is as it was
            raise
        except ContractError:
            self._leave(Action.ERROR)
            raise
        self._leave(Action.SHUTDOWN)
        return self.emitted

    def _step(self, request: Request) -> None:
        time.sleep(request.idle_s)  # the comms thread keeps the heart beating
        if request.hard_cut:
            self._cut()
        depth = min(self._settings.d_in, self._settings.d_out)
        while self._in_flight > 0 and self._planner.wants_recompute(request) and self._hooks.synthetic_context != "1":
            self._finish_one()  # the context is the decoded chunk before
        taken = None
        while self._in_flight >= depth and taken is None:
            taken = self._take()
        if taken is not None and self._hooks.decode_first == "1":
            self._emit(*taken)
            taken = None
        self._submit(request)
        if taken is not None:
            self._emit(*taken)

    def _submit(self, request: Request) -> None:
        """Phase A and the whole preflight. Raises `PreflightError` with nothing on the wire."""
        stamps = Stamps(chunk_index=-1, t_a0=time.monotonic())
        time.sleep(self._hooks.stage_seconds()[0])
        call = self._planner.build(request)
        validate_call(call, self._geometry)
        meta, tensors = self._corrupt(*to_wire(call, "pp", self._settings.tp_plan))
        packed = self._link.prepare(Action.INFER, (call.chunk_index, call.cache_epoch), meta, tensors)
        stamps.chunk_index, stamps.t_a1 = call.chunk_index, time.monotonic()
        outgoing = Outgoing(packed, call.plan.expected_generator_calls, stamps, threading.Event())
        self._inflight_to_mesh.put(outgoing, timeout=self._settings.result_watchdog_s)
        self._planner.sent()
        self._in_flight += 1
        stamps.inflight_to_mesh = self._inflight_to_mesh.qsize()
        stamps.ready_for_decode = self._ready_for_decode.qsize()
        if request.await_sent:
            outgoing.sent.wait(self._settings.result_watchdog_s)

    def _cut(self) -> None:
        """Discards what is queued but unsent; results of sent envelopes are still received, and fall to the epoch
        filter.
        """
        self._planner.cut()
        discarded = 0
        while True:
            try:
                self._inflight_to_mesh.get_nowait()
            except queue.Empty:
                break
            discarded += 1
        self._in_flight -= discarded
        self._journal("hard_cut", cache_epoch=self._planner.epoch, discarded=discarded)

    def _finish_one(self) -> None:
        taken = self._take()
        if taken is not None:
            self._emit(*taken)

    def _take(self) -> tuple[Result, Owed] | None:
        """The next result of the current epoch, or None if it was of an older one."""
        result = self._ready_for_decode.get()
        self._in_flight -= 1
        if isinstance(result, BaseException):
            raise result
        owed = self._accept(result)
        return None if owed is None else (result, owed)

    def _accept(self, result: Result) -> Owed | None:
        """Compares with the oldest owed result; None means dropped.

        Raises `AcceptanceError`, or `PeerError` on a failed one.
        """
        current = self._planner.epoch
        if result.cache_epoch > current:
            raise AcceptanceError(
                f"result of future epoch {result.cache_epoch}, current_epoch {current}: only rank 0 moves it"
            )
        if result.call_id <= self._last_accepted:
            self._journal("drop", reason="duplicate", call_id=result.call_id)
            return None
        owed = self._owed.popleft()
        if result.cache_epoch < current:
            about = {"call_id": result.call_id, "chunk_index": result.chunk_index}
            self._journal("drop", dropped_result_epoch=result.cache_epoch, current_epoch=current, **about)
            return None
        if (result.cache_epoch, result.call_id, result.chunk_index) != (
            owed.cache_epoch,
            owed.call_id,
            owed.chunk_index,
        ):
            raise AcceptanceError(
                f"result {result.call_id} of chunk {result.chunk_index}, {owed.call_id} is owed first"
            )
        if not result.ok:
            raise PeerError(f"the mesh failed chunk {result.chunk_index}: {result.error_message}")
        if result.observed_generator_calls != owed.expected_calls:
            raise AcceptanceError(
                f"{result.observed_generator_calls} generator calls, {owed.expected_calls} were planned"
            )
        self._last_accepted = result.call_id
        return owed

    def _emit(self, result: Result, owed: Owed) -> None:
        """Phase C: decode, hand out, keep the anchor."""
        stamps = owed.stamps
        stamps.t_c0 = time.monotonic()
        stamps.tB_ms, stamps.t_mesh_idle_ms = result.tB_ms, result.t_mesh_idle_ms
        time.sleep(self._hooks.stage_seconds()[2])
        frames = decode_frames(result.latents)
        self._planner.keep_decoded(result.chunk_index, frames)
        stamps.t_emit = time.monotonic()
        self.stamps.append(stamps)
        self.emitted.append(result.chunk_index)
        self._journal(
            "emit", chunk_index=result.chunk_index, cache_epoch=result.cache_epoch, digest=hash_tensor(frames)
        )

    def _leave(self, action: Action) -> None:
        """Stops the comms thread, then sends the terminal action from here.

        After a failed join nothing is sent any more.
        """
        while True:
            try:
                self._inflight_to_mesh.get_nowait()
            except queue.Empty:
                break
        self._inflight_to_mesh.put(None)
        deadline = time.monotonic() + JOIN_S
        while self._comms.is_alive() and time.monotonic() < deadline:
            self._comms.join(timeout=0.05)
            if self._ready_for_decode.full():
                self._ready_for_decode.get()  # received because it is owed; nobody wants it any more
        if self._comms.is_alive():
            self._journal("abort", reason="the comms thread did not end")
            return
        self._link.send_bare(action)

    # ---- the comms thread

    def _pump(self) -> None:
        try:
            while True:
                try:
                    outgoing = self._inflight_to_mesh.get(timeout=self._settings.heartbeat_s)
                except queue.Empty:
                    self._link.send_bare(Action.NOOP)
                    continue
                if outgoing is None:
                    return
                self._exchange(outgoing)
        except BaseException as error:  # handed to the main thread, which raises it
            self._ready_for_decode.put(error)

    def _exchange(self, outgoing: Outgoing) -> None:
        """One envelope out, its result in."""
        header, stamps = outgoing.packed.header, outgoing.stamps
        stamps.t_send = time.monotonic()
        call_id = self._link.commit(outgoing.packed)
        self._owed.append(Owed(call_id, header.chunk_index, header.cache_epoch, outgoing.expected_calls, stamps))
        outgoing.sent.set()
        answer = self._link.receive_header()
        meta, tensors = self._link.receive_body(answer)
        stamps.t_recv = time.monotonic()
        ids = (answer.call_id, answer.chunk_index, answer.cache_epoch)
        self._ready_for_decode.put(Result.from_wire(ids, meta, tensors))

    # ---- the hook of row OM-07

    def _corrupt(
        self, meta: dict[str, object], tensors: dict[str, torch.Tensor | None]
    ) -> tuple[dict[str, object], dict[str, torch.Tensor | None]]:
        """Breaks the envelope after rank 0's own check, so that the leader has something to find."""
        how = self._hooks.corrupt
        if how == "":
            return meta, tensors
        self._journal("fault", hook="corrupt", how=how)
        if how == "version":
            return {**meta, "pp_envelope_version": 2}, tensors
        if how == "vace":
            return {**meta, "pp_disable_vace": False}, tensors
        return meta, {**tensors, "conditioning_embeds": None}
