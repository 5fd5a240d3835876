"""C-04: equal settings that resolve differently. What is compared is what `auto` came to, not the word."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, everyone, mutant

DIFFERS = r"SCOPE_KV_BIAS_BACKEND \(resolved\) differs: rank 0 'sdpa', rank 1 'math'"
FAULT = Arm("fault", everyone(2, 3, DIFFERS, '"event": "send"'), {"SCOPE_TEST_RESOLVE_BACKEND": "1:math"})
# A rank outside the mesh hears of it too.
FAULT_PP = Arm(
    "fault-pp",
    (
        Expectation(4, "did not get ready"),
        *everyone(2, 3, r"SCOPE_KV_BIAS_BACKEND \(resolved\) differs: rank 1 'sdpa', rank 2 'math'"),
    ),
    {**PP, "SCOPE_TEST_RESOLVE_BACKEND": "2:math"},
)

ROW = Row(
    id="C-04",
    title="auto resolves differently",
    surface="compile",
    tranche=0,
    harness="c_effective_backend_parity",
    needs=frozenset({"tp", "parity", "backends"}),
    rules=("unpinned-backend",),
    arms=(clean(2), FAULT, FAULT_PP, mutant(FAULT, "resolved-outside-parity")),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Start-up is the test; two chunks follow where it succeeds."""
    say("fault")
    runtime.start()
    runtime.run([Request(), Request()])


if __name__ == "__main__":
    main(ROW, harness)
