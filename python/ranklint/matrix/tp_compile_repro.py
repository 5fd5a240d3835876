"""C-02: the canonical gate. With functional collectives: no break, one graph. A disable wrapper is a regression."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

COMPILED = {"SCOPE_TP_ALLOW_COMPILE": "1"}
BROKEN = (
    r'graph_break_count above the maximum of 0: rank 0 .*"graph_breaks": [1-9].*"graph_count": [2-9].*"reasons": \["'
)
FAULT = Arm(
    "fault",
    everyone(2, 3, BROKEN, '"event": "ready"', within=120),
    {**COMPILED, "SCOPE_TEST_DISABLE_COLLECTIVES": "1"},
    limit=120,
)

ROW = Row(
    id="C-02",
    title="graph breaks around collectives",
    surface="compile",
    tranche=0,
    harness="tp_compile_repro",
    needs=frozenset({"tp", "compile"}),
    rules=("graph-break-gate-missing", "eager-collective-in-compiled-region"),
    arms=(
        clean(2, COMPILED, text='"graph_breaks": 0, "graph_count": 1', limit=120),
        FAULT,
        mutant(FAULT, "no-graph-break-gate"),
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
