"""Test-only behaviour: every `SCOPE_TEST_*` key, in one place (spec 000, "Test-only hook conventions").

A hook that acts on one rank takes that rank as its *value*, the same on all ranks, and its body holds no collective.
All keys are in the parity set; a key nobody knows is refused, because a misspelt hook would make a test pass that
tests nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ParityError

PREFIX = "SCOPE_TEST_"


@dataclass(frozen=True)
class Hooks:
    """The hooks as parsed from the snapshot; the empty string means off."""

    mutate_input: str = ""  # RANK:CALL:KEY, after transfer and before the digest (OM-11)
    mutate_shard: str = ""  # RANK:CALL, after the baseline (OM-12)
    replan: str = ""  # RANK:CALL, plans one call more than the envelope says (OM-03)
    adhoc_broadcast: str = ""  # 1, a broadcast that is in no manifest (OM-06)
    corrupt: str = ""  # version | tensor | vace, after rank 0's own check (OM-07)
    wrong_group: str = ""  # 1, one TP collective on the world group (OM-08)
    delay_result: str = ""  # CHUNK:SECONDS, holds back one result (OM-09)
    future_epoch: str = ""  # CHUNK, stamps a result with the next epoch (OM-09)
    resolve_backend: str = ""  # RANK:NAME, what `auto` resolves to there (C-04)
    disable_collectives: str = ""  # 1, the wrapper that breaks graphs (C-02)
    break_graph: str = ""  # RANK, a print inside the compiled region (C-03)
    fold_rank: str = ""  # 1, the rank baked into the graph as a constant (C-03)
    stage_ms: str = ""  # A,B,C: simulated times of build, mesh, decode (O rows)
    decode_first: str = ""  # 1, submits chunk k+1 only after decoding k (O-01, O-02)
    synthetic_context: str = ""  # 1, context taken from latents instead of decoded frames (O-03)

    @staticmethod
    def parse(snapshot: Mapping[str, str]) -> Hooks:
        """Picks the hooks out of the snapshot. Raises `ParityError` on a key that is no hook."""
        found = {}
        for key, value in snapshot.items():
            if not key.startswith(PREFIX):
                continue
            name = key[len(PREFIX) :].lower()
            if name not in Hooks.__dataclass_fields__:
                raise ParityError(f"{key} is no test hook of this runtime")
            found[name] = value
        return Hooks(**found)

    def hits(self, name: str, rank: int, call: int | None = None) -> bool:
        """Whether the hook `name`, written `RANK[:CALL[:…]]`, names this rank (and this call)."""
        parts = getattr(self, name).split(":")
        if parts[0] == "" or int(parts[0]) != rank:
            return False
        return call is None or int(parts[1]) == call

    def part(self, name: str, index: int) -> str:
        """One part of a colon-separated hook."""
        return getattr(self, name).split(":")[index]

    def stage_seconds(self) -> tuple[float, float, float]:
        """Simulated durations of build, mesh and decode, in seconds."""
        if self.stage_ms == "":
            return 0.0, 0.0, 0.0
        build, mesh, decode = (float(part) / 1000 for part in self.stage_ms.split(","))
        return build, mesh, decode
