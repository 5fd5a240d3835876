"""OM-03: a plan that contradicts itself, and a rank that plans another number of generator calls than its peers."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import Arm, Expectation, Row, clean, everyone, mutant

SENT = r'"event": "send".*"INFER".*"chunk_index": 1,'
RECEIVED = r'"event": "receive".*"INFER".*"chunk_index": 1,'
RELEASED = Expectation(0, r'"event": "receive".*"SHUTDOWN"', RECEIVED, within=5)
OFF_BY_ONE = Expectation(3, r"expected_generator_calls=3\b.*\b2\b", SENT, within=5)
FAULT = Arm("fault", (OFF_BY_ONE, RELEASED))
SHORT_LIST = Expectation(3, r"num_denoise_steps=2\b.*\b3\b", SENT, within=5)
FAULT_STEPS = Arm("fault-steps", (SHORT_LIST, RELEASED))
# Only the receiver can see this one; a refusal by it alone would leave its peer in Phase B.
OUTVOTED = r"rank 0 accepts, planned_call_count=2, rank 1 accepts, planned_call_count=3"
FAULT_VOTE = Arm("fault-vote", everyone(2, 3, OUTVOTED, within=5), {"SCOPE_TEST_REPLAN": "1:1"})

ROW = Row(
    id="OM-03",
    title="plans that do not add up",
    surface="control-plane contract",
    tranche=0,
    harness="om_tp_v11_plan_mismatch",
    needs=frozenset({"tp", "preflight", "vote"}),
    rules=("unchecked-plan", "nondeterministic-meta", "divergent-loop", "collective-order", "unordered-iteration"),
    arms=(
        clean(2),
        FAULT,
        FAULT_STEPS,
        FAULT_VOTE,
        mutant(FAULT, "plan-unchecked"),
        mutant(FAULT_VOTE, "no-vote", "-vote"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks; the plan of the second is wrong."""
    import torch

    second = Request()
    if arm.faulted and arm.variant == "":
        second = Request(expected_calls=3)
    elif arm.faulted and arm.variant == "steps":
        second = Request(tensors={"step_list": torch.tensor([1000, 750, 500])})
    runtime.start()
    runtime.run(faulty([Request(), second]))


if __name__ == "__main__":
    main(ROW, harness)
