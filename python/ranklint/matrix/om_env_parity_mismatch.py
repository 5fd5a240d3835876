"""OM-04: ranks with different plans, or PP on one of them only. Nobody may get as far as making groups."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

GROUPS = '"event": "groups"'
PLAN = r"SCOPE_TP_PLAN\b.*\bv1_generator_only\b.*\bv0_full_pipeline\b"
FAULT = Arm("fault", everyone(2, 3, PLAN, GROUPS), rank_env={1: {"SCOPE_TP_PLAN": "v0_full_pipeline"}})
ENABLED = r"SCOPE_PP_ENABLED\b.*\b0\b.*\b1\b"
FAULT_PP = Arm("fault-pp", everyone(2, 3, ENABLED, GROUPS), rank_env={1: {"SCOPE_PP_ENABLED": "1"}})

ROW = Row(
    id="OM-04",
    title="ranks with different plans",
    surface="multi-group deadlocks",
    tranche=0,
    harness="om_env_parity_mismatch",
    needs=frozenset({"tp", "parity"}),
    rules=("parity-check-too-late", "late-env-read", "ungated-test-hook"),
    arms=(clean(2), FAULT, FAULT_PP, mutant(FAULT, "no-parity-check"), mutant(FAULT_PP, "no-parity-check", "-pp")),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Start-up is the test; two chunks follow where it succeeds."""
    say("fault")
    runtime.start()
    runtime.run([Request(), Request()])


if __name__ == "__main__":
    main(ROW, harness)
