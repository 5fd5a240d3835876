"""Overlap of the two stages, from the stamps of rank 0 and two durations of the leader (supplement sections 1 and 7.5).

No clock synchronisation: `tB_ms` and `t_mesh_idle_ms` are measured where they happen.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import OverlapError

SKIPPED = 10  # chunks until the pipeline is in its steady state
SCORE_GATE = 0.30


@dataclass
class Stamps:
    """One chunk: seconds of rank 0's clock, milliseconds of the leader's, and queue depths when it was submitted."""

    chunk_index: int
    t_a0: float = 0.0
    t_a1: float = 0.0
    t_send: float = 0.0
    t_recv: float = 0.0
    t_c0: float = 0.0
    t_emit: float = 0.0
    tB_ms: float = 0.0
    t_mesh_idle_ms: float = 0.0
    inflight_to_mesh: int = 0
    ready_for_decode: int = 0

    @property
    def stage0(self) -> float:
        """Seconds rank 0 worked on the chunk. Decoding counts from its start, not from the result's arrival."""
        return (self.t_a1 - self.t_a0) + (self.t_emit - self.t_c0)

    @property
    def stage1(self) -> float:
        """Seconds the mesh worked on the chunk."""
        return self.tB_ms / 1000


@dataclass(frozen=True)
class Overlap:
    """Medians over the steady window; milliseconds, except the score, the rate and the depths."""

    chunks: int
    fps: float
    period_ms: float
    period_p95_ms: float
    stage0_ms: float
    stage1_ms: float
    score: float
    t_mesh_idle_ms: float
    latency_ms: float
    inflight_to_mesh: int
    ready_for_decode: int

    def check(self, d_in: int, d_out: int) -> None:
        """The gate.

        Raises `OverlapError` on a score below 0.30 or above 1, a depth beyond its bound, or a period like the sum.
        """
        longest, both = max(self.stage0_ms, self.stage1_ms), self.stage0_ms + self.stage1_ms
        if self.score > 1.0 + 0.15:
            raise OverlapError(f"OverlapScore {self.score:.2f} above 1: a stamping fault")
        if self.inflight_to_mesh > d_in or self.ready_for_decode > d_out:
            raise OverlapError(
                f"queue depths {self.inflight_to_mesh}/{self.ready_for_decode} beyond D_in={d_in}, D_out={d_out}"
            )
        if self.score < SCORE_GATE or abs(self.period_ms - both) < abs(self.period_ms - longest):
            raise OverlapError(
                f"OverlapScore {self.score:.2f} < {SCORE_GATE:.2f}: period {self.period_ms:.1f} ms, "
                f"stages {self.stage0_ms:.1f} and {self.stage1_ms:.1f} ms, t_mesh_idle {self.t_mesh_idle_ms:.1f} ms"
            )


def measure_overlap(stamps: Sequence[Stamps], frames_per_chunk: int) -> Overlap:
    """`OverlapScore = median(max(0, stage0 + stage1 - period)) / min(stage0, stage1)`. Needs at least twelve chunks."""
    periods = [(now.t_emit - last.t_emit) for last, now in zip(stamps, stamps[1:])][SKIPPED - 1 :]
    window = stamps[SKIPPED:]
    hidden = [max(0.0, one.stage0 + one.stage1 - period) for one, period in zip(window, periods)]
    stage0 = statistics.median(one.stage0 for one in window)
    stage1 = statistics.median(one.stage1 for one in window)
    period = statistics.median(periods)
    return Overlap(
        chunks=len(window),
        fps=frames_per_chunk / period,
        period_ms=period * 1000,
        period_p95_ms=sorted(periods)[int(0.95 * (len(periods) - 1))] * 1000,
        stage0_ms=stage0 * 1000,
        stage1_ms=stage1 * 1000,
        score=statistics.median(hidden) / max(1e-6, min(stage0, stage1)),
        t_mesh_idle_ms=statistics.median(one.t_mesh_idle_ms for one in window),
        latency_ms=statistics.median(one.t_emit - one.t_a0 for one in window) * 1000,
        inflight_to_mesh=max(one.inflight_to_mesh for one in window),
        ready_for_decode=max(one.ready_for_decode for one in window),
    )
