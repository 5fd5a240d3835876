"""O-01: queue depths one to four. Decoding before sending, one serialises the stages; two is the first to overlap."""

from __future__ import annotations

from .overlap import STAGES, depth, measure
from .program import main
from .protocol import Runtime
from .row import Arm, Expectation, Row, clean, mutant

SWEEP = {**STAGES, "SCOPE_TEST_DECODE_FIRST": "1"}
COLLAPSED = r"OverlapScore 0\.\d\d < 0\.30"
FAULT = Arm("fault", (Expectation(3, COLLAPSED, within=60), Expectation(0, within=60)), {**SWEEP, **depth(1)}, limit=60)
CLEAN = clean(2, {**SWEEP, **depth(2)}, limit=60)
UNBOUNDED = Arm("mutant-bounds", CLEAN.ranks, CLEAN.env, mutant="unbounded-queues", limit=60, has_baseline=False)

ROW = Row(
    id="O-01",
    title="overlap against queue depth",
    surface="backpressure and overlap",
    tranche=2,
    harness="o_pp0_d_sweep",
    needs=frozenset({"pp0", "overlap"}),
    rules=("unbounded-queue", "blocking-queue-cycle"),
    arms=(
        CLEAN,
        clean(2, {**SWEEP, **depth(3)}, suffix="-d3", limit=60),
        clean(2, {**SWEEP, **depth(4)}, suffix="-d4", limit=60),
        FAULT,
        mutant(FAULT, "no-overlap-gate"),
        UNBOUNDED,
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """One depth."""
    measure(runtime)


if __name__ == "__main__":
    main(ROW, harness)
