"""OM-08: a TP collective is handed the world group. The wrapper refuses before the backend is called, on all ranks."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, mutant

GROUPS = r"group_used=\[0, 1, 2\] expected_group=\[1, 2\]"
FAULT = Arm(
    "fault",
    (Expectation(4, GROUPS), Expectation(3, GROUPS + " mesh_rank=0"), Expectation(3, GROUPS + " mesh_rank=1")),
    {**PP, "SCOPE_TEST_WRONG_GROUP": "1"},
)

ROW = Row(
    id="OM-08",
    title="a TP collective on the wrong group",
    surface="multi-group deadlocks",
    tranche=3,
    harness="pp1_wrong_group_guard",
    needs=frozenset({"pp1"}),
    rules=("unchecked-group", "wrong-group", "wrong-root", "conditional-group-creation"),
    arms=(clean(3, PP), FAULT, mutant(FAULT, "wrong-group-unchecked")),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks."""
    runtime.start()
    runtime.run(faulty([Request(), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
