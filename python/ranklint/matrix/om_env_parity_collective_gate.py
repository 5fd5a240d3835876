"""OM-05: a debug gather behind a flag that one rank has. Parity must refuse before the gather is reached."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

FAULT = Arm(
    "fault",
    everyone(2, 3, r"SCOPE_TP_DEBUG_GATHER\b.*\b0\b.*\b1\b", '"event": "groups"'),
    rank_env={1: {"SCOPE_TP_DEBUG_GATHER": "1"}},
)

ROW = Row(
    id="OM-05",
    title="a collective gated by one rank's flag",
    surface="multi-group deadlocks",
    tranche=0,
    harness="om_env_parity_collective_gate",
    needs=frozenset({"tp", "parity"}),
    rules=("ungated-collective-flag", "per-rank-test-flag", "conditional-collective"),
    arms=(
        clean(2),
        clean(2, {"SCOPE_TP_DEBUG_GATHER": "1"}, text='"event": "debug_gather"', suffix="-gathering"),
        FAULT,
        mutant(FAULT, "gate-outside-parity"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Start-up is the test; two chunks follow where it succeeds."""
    say("fault")
    runtime.start()
    runtime.run([Request(), Request()])


if __name__ == "__main__":
    main(ROW, harness)
