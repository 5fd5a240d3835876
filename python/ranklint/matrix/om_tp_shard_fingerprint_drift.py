"""OM-12: a shard changes on one rank after the baseline. Shards differ by nature; a rank is compared with itself."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

DRIFTED = r'fingerprint left its baseline: rank 1 \{"out":\s?\["\w{12}", ?"\w{12}"\]\}'
FAULT = Arm("fault", everyone(2, 3, DRIFTED), {"SCOPE_TEST_MUTATE_SHARD": "1:1"})

ROW = Row(
    id="OM-12",
    title="weights drift",
    surface="KV-cache lifecycle",
    tranche=0,
    harness="om_tp_shard_fingerprint_drift",
    needs=frozenset({"tp", "fingerprint"}),
    rules=("missing-drift-tripwire", "unsynchronised-state"),
    arms=(clean(2), FAULT, mutant(FAULT, "no-fingerprint")),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Three chunks; a shard changes before the second."""
    runtime.start()
    runtime.run(faulty([Request(), Request(), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
