"""OM-01: meta that the encoder refuses. The sender must raise before the header, and let its peer go."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, mutant

SENT = r'"event": "send".*"INFER".*"chunk_index": 1,'
RECEIVED = r'"event": "receive".*"INFER".*"chunk_index": 1,'
REFUSAL = Expectation(3, r"notes\.on_done", SENT, within=5)
RELEASED = Expectation(0, r'"event": "receive".*"SHUTDOWN"', RECEIVED, within=5)
FAULT = Arm("fault", (REFUSAL, RELEASED))
FAULT_PP = Arm("fault-pp", (REFUSAL, RELEASED), PP)

ROW = Row(
    id="OM-01",
    title="meta that cannot be serialised",
    surface="control-plane contract",
    tranche=0,
    harness="om_tp_preflight_meta",
    needs=frozenset({"tp", "preflight"}),
    rules=("preflight-after-commit",),
    arms=(
        clean(2),
        clean(2, PP, suffix="-pp"),
        FAULT,
        FAULT_PP,
        mutant(FAULT, "encode-after-header"),
        mutant(FAULT_PP, "encode-after-header", "-pp"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks; the second has a function among its notes."""
    notes = {"on_done": print} if arm.faulted else {}
    runtime.start()
    runtime.run(faulty([Request(), Request(notes=notes)]))


if __name__ == "__main__":
    main(ROW, harness)
