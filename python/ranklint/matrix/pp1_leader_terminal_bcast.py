"""OM-07: an envelope passes rank 0 and fails the leader. Nothing of it may reach the mesh but a terminal action."""

from __future__ import annotations

from .program import faulty, main
from .protocol import Request, Runtime
from .row import PP, Arm, Expectation, Row, clean, mutant

RECEIVED = r'"event": "receive".*"INFER".*"chunk_index": 0,'
RELAYED = r'"event": "send".*"INFER".*"chunk_index": 0,.*"mesh_pg"'


def broken(how: str, reason: str, suffix: str = "") -> Arm:
    """Rank 0 gets a failed result, the leader refuses, the others get `ERROR` and no payload."""
    ranks = (Expectation(4, reason), Expectation(3, reason, RELAYED), Expectation(4, "terminal action ERROR", RECEIVED))
    return Arm("fault" + suffix, ranks, {**PP, "SCOPE_TEST_CORRUPT": how})


FAULT = broken("version", "pp_envelope_version=2")

ROW = Row(
    id="OM-07",
    title="the leader refuses an envelope",
    surface="control-plane contract",
    tranche=3,
    harness="pp1_leader_terminal_bcast",
    needs=frozenset({"pp1", "preflight"}),
    rules=("leader-unvalidated-broadcast", "missing-terminal-action"),
    arms=(
        clean(3, PP),
        FAULT,
        broken("vace", "pp_disable_vace=False", "-vace"),
        broken("tensor", "conditioning is missing", "-tensor"),
        mutant(FAULT, "leader-relays-first"),
        mutant(FAULT, "no-terminal-action", "-terminal"),
    ),
)


def harness(runtime: Runtime, arm: Arm) -> None:
    """Two chunks; the first is broken on its way."""
    runtime.start()
    runtime.run(faulty([Request(), Request()]))


if __name__ == "__main__":
    main(ROW, harness)
