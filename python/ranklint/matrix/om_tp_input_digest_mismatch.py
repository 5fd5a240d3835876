"""OM-11: one received tensor changes on one rank, after transfer, before the digest. All ranks crash on that call."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, everyone, mutant

DIFFERS = r"input digest differs at chunk 1: latents: rank 0 \w{12}, rank 1 \w{12}"
FAULT = Arm("fault", everyone(2, 3, DIFFERS), {"SCOPE_TEST_MUTATE_INPUT": "1:1:latents"})
# Under PP rank 0 is outside the mesh: the change is on a mesh rank.
IN_MESH = r"input digest differs at chunk 1: latents_in: rank 1 \w{12}, rank 2 \w{12}"
FAULT_PP = Arm(
    "fault-pp",
    (Expectation(4, IN_MESH), Expectation(3, IN_MESH), Expectation(3, IN_MESH)),
    {**PP, "SCOPE_TEST_MUTATE_INPUT": "2:1:latents"},
)

ROW = Row(
    id="OM-11",
    title="inputs drift apart",
    surface="KV-cache lifecycle",
    tranche=0,
    harness="om_tp_input_digest_mismatch",
    needs=frozenset({"tp", "digest"}),
    rules=("missing-drift-tripwire",),
    arms=(clean(2), clean(3, PP, suffix="-pp"), FAULT, FAULT_PP, mutant(FAULT, "no-input-digest")),
    backends=("gloo", "nccl"),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Three chunks; the second is changed on one rank."""
    runtime.start()
    runtime.run(faulty([Request(), Request(), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
