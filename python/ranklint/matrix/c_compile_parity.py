"""C-01: one rank compiles its step, the other does not. Start-up refuses, before their programs part."""

from __future__ import annotations

from .program import main, say
from .protocol import Request, Runtime
from .row import Arm, Row, clean, everyone, mutant

COMPILED = {"SCOPE_TP_ALLOW_COMPILE": "1"}
DIFFERS = r"SCOPE_TP_ALLOW_COMPILE\b.*\b0\b.*\b1\b"
FAULT = Arm("fault", everyone(2, 3, DIFFERS, '"event": "send"'), rank_env={1: COMPILED})

ROW = Row(
    id="C-01",
    title="compile on one rank only",
    surface="compile",
    tranche=0,
    harness="c_compile_parity",
    needs=frozenset({"tp", "parity", "compile"}),
    rules=("ungated-collective-flag", "asymmetric-compile-flag"),
    arms=(
        clean(2, COMPILED, text='"event": "compile_health"', limit=120),
        FAULT,
        mutant(FAULT, "compile-outside-parity"),
    ),
    backends=("gloo", "nccl"),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Start-up is the test; two chunks follow where it succeeds."""
    say("fault")
    runtime.start()
    runtime.run([Request(), Request()])


if __name__ == "__main__":
    main(ROW, harness)
