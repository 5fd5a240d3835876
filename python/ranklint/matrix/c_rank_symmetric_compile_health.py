"""C-03: ranks compiled differently. Counts alone do not tell: a rank folded into a graph breaks nothing anywhere."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

# Breaks are allowed here, so that only the comparison between ranks can refuse.
COMPILED = {"SCOPE_TP_ALLOW_COMPILE": "1", "SCOPE_COMPILE_MAX_GRAPH_BREAKS": "9"}
BREAKS = r'compile health differs between ranks: rank 0 .*"graph_breaks": 0.*rank 1 .*"graph_breaks": [1-9]'
FAULT = Arm(
    "fault",
    everyone(2, 3, BREAKS, '"event": "ready"', within=120),
    {**COMPILED, "SCOPE_TEST_BREAK_GRAPH": "1"},
    limit=120,
)
FOLDED = r'compile health differs between ranks: rank 0 .*"graph_breaks": 0.*rank 1 .*"graph_breaks": 0'
FAULT_FOLDED = Arm(
    "fault-folded",
    everyone(2, 3, FOLDED, '"event": "ready"', within=120),
    {**COMPILED, "SCOPE_TEST_FOLD_RANK": "1"},
    limit=120,
)

ROW = Row(
    id="C-03",
    title="ranks that compiled differently",
    surface="compile",
    tranche=0,
    harness="c_rank_symmetric_compile_health",
    needs=frozenset({"tp", "compile"}),
    rules=("rank-dependent-compile", "side-effect-in-compiled-region", "asymmetric-warmup"),
    arms=(
        clean(2, COMPILED, text='"event": "compile_health"', limit=120),
        FAULT,
        FAULT_FOLDED,
        mutant(FAULT, "health-uncompared"),
        mutant(FAULT_FOLDED, "health-counts-only", "-folded"),
    ),
    backends=("gloo", "nccl"),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Start-up is the test; two chunks follow where it succeeds."""
    say("fault")
    runtime.start()
    runtime.run([Request(), Request()])


if __name__ == "__main__":
    main(ROW, harness)
