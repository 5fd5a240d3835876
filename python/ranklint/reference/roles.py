"""What each rank does all day: the driver of TP, the followers of a mesh, the leader of PP.

One thread issues every collective of a rank. A rank waits for a header only in `Link.receive_header`, which is watched.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import torch

from .calls import Call, Result, from_wire, to_wire, validate_call
from .engine import Engine, Outcome
from .errors import ContractError, PeerError
from .framing import Action, Header, Packed
from .journal import Journal
from .link import Link
from .model import decode_frames
from .planner import Planner
from .requests import Request
from .settings import Settings
from .tripwires import hash_tensor


def send_call(link: Link, call: Call, engine: Engine, dialect: str, tp_plan: str) -> None:
    """The sender's list in full (supplement section 4.5). Raises `PreflightError` with nothing on the wire."""
    link.commit(prepare_call(link, call, engine, dialect, tp_plan))


def prepare_call(link: Link, call: Call, engine: Engine, dialect: str, tp_plan: str) -> Packed:
    """The preflight alone. Raises `PreflightError`."""
    validate_call(call, engine.geometry)
    meta, tensors = to_wire(call, dialect, tp_plan)
    return link.prepare(Action.INFER, (call.chunk_index, call.cache_epoch), meta, tensors)


def receive_call(link: Link, header: Header, dialect: str, tp_plan: str) -> Call:
    """The body of an `INFER`, as a call again. Raises `EnvelopeError`."""
    meta, tensors = link.receive_body(header)
    return from_wire((header.chunk_index, header.cache_epoch), meta, tensors, dialect, tp_plan)


def warm_up(planner: Planner, runs: int) -> Iterable[Call]:
    """The planned warm-up calls; they alternate so that both forms of the call have run."""
    return (planner.warm_up(recompute=index % 2 == 1) for index in range(runs))


def drive_tp(
    link: Link, engine: Engine, planner: Planner, requests: Iterable[Request], settings: Settings, journal: Journal
) -> list[int]:
    """Rank 0 of TP: plans, sends, computes along, emits. Returns the emitted chunks; leaves the mesh by `SHUTDOWN`.

    A refused preflight ends the run too, but the channel is untouched, so peers are told before the error goes on.
    """
    emitted = []
    for request in requests:
        wait_idle(link, request.idle_s, settings.heartbeat_s)
        if request.hard_cut:
            planner.cut()
        try:
            call = planner.build(request)
            send_call(link, call, engine, "tp", settings.tp_plan)
        except ContractError:
            link.send_bare(Action.SHUTDOWN)
            raise
        planner.sent()
        outcome = engine.run(call)
        frames = decode_frames(outcome.latents)
        planner.keep_decoded(call.chunk_index, frames)
        emitted.append(call.chunk_index)
        journal("emit", chunk_index=call.chunk_index, cache_epoch=call.cache_epoch, digest=hash_tensor(frames))
    link.send_bare(Action.SHUTDOWN)
    return emitted


def wait_idle(link: Link, seconds: float, heartbeat_s: float) -> None:
    """Nothing to do for a while; `NOOP` keeps the watchdogs of the peers quiet."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        link.send_bare(Action.NOOP)
        time.sleep(min(heartbeat_s, max(0.0, until - time.monotonic())))


def follow(link: Link, engine: Engine, dialect: str, settings: Settings, only: int | None = None) -> None:
    """A rank that is told what to do, until `SHUTDOWN` (or for `only` calls). Raises `PeerError` on `ERROR`."""
    done = 0
    while only is None or done < only:
        header = link.receive_header()
        if header.action == Action.NOOP:
            continue
        if header.action == Action.SHUTDOWN:
            return
        if header.action == Action.ERROR:
            raise PeerError("terminal action ERROR from the leader")
        engine.run(receive_call(link, header, dialect, settings.tp_plan))
        done += 1


class Leader:
    """The mesh's first rank in PP: receives from rank 0, validates, relays to the mesh, computes, answers.

    `mesh_link` is None in PP0, where the mesh is this rank alone. Exactly one result for each `INFER`, failed ones
    included.
    """

    def __init__(
        self, pair: Link, mesh_link: Link | None, engine: Engine, settings: Settings, journal: Journal
    ) -> None:
        self._pair = pair
        self._mesh_link = mesh_link
        self._engine = engine
        self._settings = settings
        self._hooks = settings.hooks
        self._journal = journal

    def warm_up(self, planner: Planner) -> None:
        """Drives the mesh through its warm-up; rank 0 has no place in it."""
        for call in warm_up(planner, self._settings.warmup_runs):
            if self._mesh_link is not None:
                send_call(self._mesh_link, call, self._engine, "pp", self._settings.tp_plan)
            self._engine.run(call)

    def serve(self) -> None:
        """Until `SHUTDOWN`. Raises what ended the run, after mesh and rank 0 have been told."""
        while True:
            header = self._pair.receive_header()
            if header.action == Action.INFER:
                self._answer(header)
                continue
            if self._mesh_link is not None:
                self._mesh_link.send_bare(Action(header.action))
            if header.action == Action.SHUTDOWN:
                return
            if header.action == Action.ERROR:
                raise PeerError("terminal action ERROR from rank 0")

    def _answer(self, header: Header) -> None:
        meta, tensors = self._pair.receive_body(header)
        try:
            call = self._examine(header, meta, tensors)
            packed = prepare_call(self._pair, call, self._engine, "pp", self._settings.tp_plan)
        except ContractError as error:
            if self._mesh_link is not None:
                self._mesh_link.send_bare(Action.ERROR)
            self._send_failure(header, error)
            raise
        try:
            if self._mesh_link is not None:
                self._mesh_link.commit(packed)
            outcome = self._engine.run(call)
        except ContractError as error:
            self._send_failure(header, error)
            raise
        self._send_result(header, outcome)

    def _examine(self, header: Header, meta: Mapping[str, object], tensors: Mapping[str, torch.Tensor | None]) -> Call:
        """The receiver's list in full, before anything goes to the mesh."""
        call = from_wire((header.chunk_index, header.cache_epoch), meta, tensors, "pp", self._settings.tp_plan)
        validate_call(call, self._engine.geometry)
        return call

    def _send_result(self, header: Header, outcome: Outcome) -> None:
        epoch = header.cache_epoch
        if self._hooks.hits("delay_result", header.chunk_index):
            self._journal("fault", hook="delay_result", chunk_index=header.chunk_index)
            time.sleep(float(self._hooks.part("delay_result", 1)))
        if self._hooks.hits("future_epoch", header.chunk_index):
            self._journal("fault", hook="future_epoch", chunk_index=header.chunk_index)
            epoch += 1
        result = Result(
            call_id=header.call_id,
            chunk_index=header.chunk_index,
            cache_epoch=epoch,
            observed_generator_calls=outcome.observed_generator_calls,
            mesh_current_start_frame=self._engine.generator.start_frame,
            tB_ms=outcome.busy_ms,
            t_mesh_idle_ms=outcome.idle_ms,
            ok=True,
            error_message="",
            latents=outcome.latents,
        )
        self._send(result)

    def _send_failure(self, header: Header, error: ContractError) -> None:
        """The one owed result, failed."""
        self._send(
            Result(header.call_id, header.chunk_index, header.cache_epoch, 0, 0, 0.0, 0.0, False, str(error), None)
        )

    def _send(self, result: Result) -> None:
        meta, tensors = result.to_wire()
        packed = self._pair.prepare(Action.RESULT, (result.chunk_index, result.cache_epoch), meta, tensors)
        self._pair.commit(packed, answers=result.call_id)
