"""OM-09: a result that arrives after a hard cut is dropped, never emitted, and the stream goes on in the new epoch.

The one OM row whose good end is success. A result of a *future* epoch is something else: only rank 0 moves it.
"""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, everyone, mutant

DROPPED = r'(?s)"dropped_result_epoch": 0, "current_epoch": 1, .*?"chunk_index": 1\b.*"emit", "chunk_index": 3'
STALE = r'"event": "emit", "chunk_index": [01], "cache_epoch": 0'
FAULT = Arm(
    "fault",
    (Expectation(0, DROPPED, STALE, within=15), Expectation(0, within=15)),
    {**PP, "SCOPE_TEST_DELAY_RESULT": "1:0.3"},
)
FUTURE = Arm(
    "fault-future",
    (Expectation(3, "future epoch 1, current_epoch 0"), Expectation(4, "terminal action ERROR")),
    {**PP, "SCOPE_TEST_FUTURE_EPOCH": "1"},
)

ROW = Row(
    id="OM-09",
    title="a late result after a hard cut",
    surface="KV-cache lifecycle",
    tranche=2,
    harness="om_pp0_epoch_fence_drop",
    needs=frozenset({"pp0", "overlap"}),
    rules=("unchecked-epoch", "unpaired-p2p", "incomplete-envelope"),
    arms=(
        clean(2, PP, text=r'(?s)"emit", "chunk_index": 0,.*"emit", "chunk_index": 3'),
        Arm("clean-cut", everyone(2, 0), PP),
        FAULT,
        FUTURE,
        mutant(FAULT, "epoch-unchecked"),
        mutant(FUTURE, "future-epoch-unchecked", "-future"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Four chunks; in the fault, a hard cut as soon as the second is on the wire."""
    cut = arm.variant == "cut" or (arm.faulted and arm.variant == "")
    runtime.start()
    runtime.run(faulty([Request(), Request(await_sent=True), Request(hard_cut=cut), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
