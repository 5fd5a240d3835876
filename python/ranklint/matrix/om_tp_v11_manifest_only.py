"""OM-06: a broadcast inside a block, of a tensor whose shape each rank infers. Tensors flow through the manifest."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

FAULT = Arm(
    "fault", everyone(2, 3, r"inferred_mask.*no entry in the manifest", within=5), {"SCOPE_TEST_ADHOC_BROADCAST": "1"}
)

ROW = Row(
    id="OM-06",
    title="a broadcast outside the manifest",
    surface="control-plane contract",
    tranche=0,
    harness="om_tp_v11_manifest_only",
    needs=frozenset({"tp", "manifest"}),
    rules=("ad-hoc-broadcast",),
    arms=(clean(2), FAULT, mutant(FAULT, "manifest-unchecked")),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks."""
    runtime.start()
    runtime.run(faulty([Request(), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
