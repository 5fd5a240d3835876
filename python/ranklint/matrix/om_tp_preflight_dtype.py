"""OM-02: a tensor whose dtype is outside the wire's map. gloo would move it; our map must refuse, before the header."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, mutant

SENT = r'"event": "send".*"INFER".*"chunk_index": 1,'
RECEIVED = r'"event": "receive".*"INFER".*"chunk_index": 1,'
REFUSAL = Expectation(3, r"conditioning.*\bbool\b", SENT, within=5)
RELEASED = Expectation(0, r'"event": "receive".*"SHUTDOWN"', RECEIVED, within=5)
FAULT = Arm("fault", (REFUSAL, RELEASED))
FAULT_PP = Arm("fault-pp", (REFUSAL, RELEASED), PP)

ROW = Row(
    id="OM-02",
    title="a dtype the wire does not carry",
    surface="control-plane contract",
    tranche=0,
    harness="om_tp_preflight_dtype",
    needs=frozenset({"tp", "preflight"}),
    rules=("preflight-after-commit", "unagreed-shape"),
    arms=(
        clean(2),
        clean(2, PP, suffix="-pp"),
        FAULT,
        FAULT_PP,
        mutant(FAULT, "dtype-unchecked"),
        mutant(FAULT_PP, "dtype-unchecked", "-pp"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks; the conditioning of the second is of booleans, in the agreed shape."""
    import torch

    tensors = {"conditioning": torch.ones(1, 4, 16, dtype=torch.bool)} if arm.faulted else {}
    runtime.start()
    runtime.run(faulty([Request(), Request(tensors=tensors)]))


if __name__ == "__main__":
    main(ROW, harness)
