"""O-03: recompute ties envelope k+1 to the decoding of chunk k. Measured without (R1) and with it on every chunk (R0a).

A context that is not the decoded chunk keeps the overlap, and is not equivalent: it must be refused, not measured.
"""

from __future__ import annotations

from .overlap import STAGES, depth, measure
from .program import main
from .protocol import Runtime
from .row import Arm, Expectation, Row, clean, mutant

R0A = {**STAGES, **depth(2)}
FAULT = Arm(
    "fault-r0a",
    (Expectation(3, "does not come from decoding chunk", within=60), Expectation(0, "SHUTDOWN", within=60)),
    {**R0A, "SCOPE_TEST_SYNTHETIC_CONTEXT": "1"},
    limit=60,
)

ROW = Row(
    id="O-03",
    title="what recompute costs in overlap",
    surface="backpressure and overlap",
    tranche=2,
    harness="o_pp0_recompute_coupling_delta",
    needs=frozenset({"pp0", "overlap"}),
    rules=("stale-override",),
    arms=(
        clean(2, {**STAGES, **depth(2)}, text='"coupled": false', limit=60),
        clean(2, R0A, text='"coupled": true', suffix="-r0a", limit=60),
        FAULT,
        mutant(FAULT, "anchor-unchecked", "-r0a"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """R1, or R0a."""
    measure(runtime, recompute=arm.variant == "r0a")


if __name__ == "__main__":
    main(ROW, harness)
