"""O-02: the signature of overlap, and that of the bug that sends chunk k+1 only after decoding chunk k."""

from __future__ import annotations

from .overlap import STAGES, depth, measure
from .program import main
from .protocol import Runtime
from .row import Arm, Expectation, Row, clean, mutant

SERIAL = r"OverlapScore 0\.\d\d < 0\.30: period \d+\.\d ms, stages .* t_mesh_idle"
FAULT = Arm(
    "fault",
    (Expectation(3, SERIAL, within=60), Expectation(0, within=60)),
    {**STAGES, **depth(1), "SCOPE_TEST_DECODE_FIRST": "1"},
    limit=60,
)

ROW = Row(
    id="O-02",
    title="the signature of overlap",
    surface="backpressure and overlap",
    tranche=2,
    harness="o_pp0_overlap_signature",
    needs=frozenset({"pp0", "overlap"}),
    rules=("blocking-queue-cycle",),
    arms=(
        clean(2, {**STAGES, **depth(1)}, text='"event": "measurement"', limit=60),
        FAULT,
        mutant(FAULT, "no-overlap-gate"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Depth one, in both orders."""
    measure(runtime)


if __name__ == "__main__":
    main(ROW, harness)
