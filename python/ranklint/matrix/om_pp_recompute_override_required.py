"""OM-10, PP: recompute is planned and its context tensor is missing. There is no fallback; the sender refuses."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, mutant

SENT = r'"event": "send".*"INFER".*"chunk_index": 1,'
RECEIVED = r'"event": "receive".*"INFER".*"chunk_index": 1,'
REFUSAL = Expectation(3, "override required", SENT, within=5)
RELEASED = Expectation(0, r'"event": "receive".*"SHUTDOWN"', RECEIVED, within=5)
FAULT = Arm("fault", (REFUSAL, RELEASED), PP)

ROW = Row(
    id="OM-10",
    title="recompute without its context",
    surface="KV-cache lifecycle",
    tranche=0,
    harness="om_pp_recompute_override_required",
    needs=frozenset({"pp0", "preflight"}),
    rules=("missing-override-fallback", "stale-override"),
    arms=(
        clean(2, PP, text='"observed_generator_calls": 3|"emit", "chunk_index": 1'),
        FAULT,
        mutant(FAULT, "override-fallback"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks; the second recomputes, without the tensor it needs."""
    runtime.start()
    runtime.run(faulty([Request(), Request(recompute=True, omit=("context",) if arm.faulted else ())]))


if __name__ == "__main__":
    main(ROW, harness)
