"""Rows as data: what is run, and what must happen on each rank. Imports no torch.

A row has arms. `clean`: no fault, clean end. `fault`: the good failure. `mutant`: the same fault with one guard taken
out of the runtime, which must *not* look like the good failure. `baseline`: no fault, guard taken out, clean end; it
shows that a mutant lacks its guard and nothing else. Arms with a suffix (`fault-pp`) are variants of their kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

PREFIX = "ranklint.matrix."
# What every arm sets. The group's time-out is far above every bound, so that no arm is decided by it.
BASE = {
    "SCOPE_DIST_TIMEOUT_S": "60",
    "SCOPE_TP_HEARTBEAT_S": "0.5",
    "SCOPE_TP_WORKER_WATCHDOG_S": "20",
    "SCOPE_PP_WATCHDOG_S": "20",
    "SCOPE_TP_LOCKSTEP_WARMUP_RUNS": "1",
    "SCOPE_COMPILE_BACKEND": "eager",
    "OMP_NUM_THREADS": "1",
}
PP = {"SCOPE_PP_ENABLED": "1"}
CUT_BY_RUNNER = "stopped"
BACKEND = "RANKLINT_BACKEND"
STAGES = "SCOPE_TEST_STAGE_MS"
STAGE_SCALE = "RANKLINT_STAGE_SCALE"


@dataclass(frozen=True)
class Expectation:
    """How one rank must end.

    `exit`: its exit code, `-9` for a signal it sent itself, or `"stopped"` for a rank that holds still until the
    runner ends it. `text`: a pattern its output must hold; `absent`: one it must not hold. `within`: seconds from the
    fault to its end.
    """

    exit: int | str
    text: str = ""
    absent: str = ""
    within: float = 10.0


@dataclass(frozen=True)
class Arm:
    """One way to run a row.

    `ranks` maps each rank to its expectation; a mutant's are those of the fault it must not meet.
    """

    name: str
    ranks: tuple[Expectation, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    rank_env: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    mutant: str = ""
    limit: float = 30.0
    has_baseline: bool = True

    @property
    def kind(self) -> str:
        """`clean`, `fault`, `mutant` or `baseline`."""
        return self.name.partition("-")[0]

    @property
    def variant(self) -> str:
        """What follows the kind: `pp` of `fault-pp`."""
        return self.name.partition("-")[2]

    @property
    def faulted(self) -> bool:
        """Whether the harness commits its fault."""
        return self.kind in ("fault", "mutant")


@dataclass(frozen=True)
class Row:
    """One row of the matrix; `harness` is the module's name, after spec 000, `rules` the static rules that match."""

    id: str
    title: str
    surface: str
    tranche: int
    harness: str
    needs: frozenset[str]
    rules: tuple[str, ...]
    arms: tuple[Arm, ...]
    backends: tuple[str, ...] = ("gloo",)

    def every_arm(self) -> tuple[Arm, ...]:
        """The declared arms, and a baseline for each mutant: the clean arm of the same variant, without the guard."""
        declared = {arm.name: arm for arm in self.arms}
        baselines = []
        for arm in self.arms:
            if arm.kind == "mutant" and arm.has_baseline:
                suffix = arm.name[len("mutant") :]
                plain = declared.get("clean" + suffix, declared["clean"])
                baselines.append(replace(plain, name="baseline" + suffix, mutant=arm.mutant))
        return (*self.arms, *baselines)

    def arm(self, name: str) -> Arm:
        """Raises `KeyError` naming the arms there are."""
        for arm in self.every_arm():
            if arm.name == name:
                return arm
        raise KeyError(f"{self.id} has no arm {name!r}; it has {', '.join(arm.name for arm in self.every_arm())}")

    def needed(self, arm: Arm) -> frozenset[str]:
        """The capabilities that this arm asks of a runtime."""
        if arm.env.get("SCOPE_PP_ENABLED") != "1":
            return self.needs
        return self.needs - {"tp"} | {"pp1" if len(arm.ranks) > 2 else "pp0"}

    def environment(self, arm: Arm, rank: int) -> dict[str, str]:
        """What the rank's process sets before anything else; `RANKLINT_BACKEND=nccl` makes it the NCCL variant."""
        backend = {"SCOPE_DIST_BACKEND": os.environ.get(BACKEND, "gloo")}
        shared = {**BASE, **backend, **arm.env}
        if STAGES in shared:
            scale = float(os.environ.get(STAGE_SCALE, "1"))
            shared[STAGES] = ",".join(f"{float(one) * scale:g}" for one in shared[STAGES].split(","))
        return {**shared, **arm.rank_env.get(rank, {})}

    def to_json(self, python: str) -> dict[str, object]:
        """The row for a runner in another language: argv and environment of each rank of each arm."""
        arms = []
        for arm in self.every_arm():
            processes = [
                {
                    "rank": rank,
                    "argv": [python, "-m", PREFIX + self.harness, "--arm", arm.name],
                    "env": {
                        **self.environment(arm, rank),
                        **({STAGE_SCALE: os.environ.get(STAGE_SCALE, "1")} if STAGES in arm.env else {}),
                        **({"RANKLINT_MUTANT": arm.mutant} if arm.mutant else {}),
                    },
                    "expect": asdict(expected),
                }
                for rank, expected in enumerate(arm.ranks)
            ]
            about = {"name": arm.name, "kind": arm.kind, "mutant": arm.mutant, "limit": arm.limit}
            about["needs"] = sorted(self.needed(arm))
            arms.append({**about, "processes": processes})
        return {
            "id": self.id,
            "title": self.title,
            "surface": self.surface,
            "tranche": self.tranche,
            "harness": self.harness,
            "module": PREFIX + self.harness,
            "needs": sorted(self.needs),
            "rules": list(self.rules),
            "backends": list(self.backends),
            "arms": arms,
        }


def stage_scale() -> str:
    """How much longer simulated stages should be than on a quiet machine, so that they outweigh its delays; 1 to 5."""
    if not hasattr(os, "getloadavg"):
        return "1"
    return f"{min(5.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))):.1f}"


def everyone(
    count: int, exit: int | str, text: str = "", absent: str = "", within: float = 10.0
) -> tuple[Expectation, ...]:
    """The same expectation for all ranks."""
    return tuple(Expectation(exit, text, absent, within) for _ in range(count))


def clean(
    count: int, env: Mapping[str, str] | None = None, text: str = "", suffix: str = "", limit: float = 30.0
) -> Arm:
    """No fault: every rank ends with 0; rank 0 must have emitted something, or what `text` says."""
    first = Expectation(0, text or '"event": "emit"', within=limit)
    return Arm("clean" + suffix, (first, *everyone(count - 1, 0, within=limit)), env or {}, limit=limit)


def mutant(fault: Arm, name: str, suffix: str = "", limit: float = 0.0) -> Arm:
    """`fault` with one guard taken out."""
    longest = max(expected.within for expected in fault.ranks)
    return Arm("mutant" + suffix, fault.ranks, fault.env, fault.rank_env, name, limit or longest)


@dataclass(frozen=True)
class Ended:
    """How one rank ended: exit code (negative: signal), None if the runner ended it; seconds since the fault."""

    code: int | None
    seconds: float
    output: str


def misses(expected: Expectation, ended: Ended, scale: float = 1.0) -> list[str]:
    """Why a rank's end is not the expected one; empty if it is. `scale` stretches its time."""
    found = []
    if expected.exit == CUT_BY_RUNNER:
        if ended.code is not None:
            found.append(f"exit {ended.code}, should have held still")
    elif ended.code is None:
        found.append("did not end")
    elif ended.code != expected.exit:
        found.append(f"exit {ended.code}, not {expected.exit}")
    if expected.exit != CUT_BY_RUNNER and ended.seconds > expected.within * scale:
        found.append(f"{ended.seconds:.1f} s, more than {expected.within:g}")
    if expected.text and not re.search(expected.text, ended.output):
        found.append(f"does not say /{expected.text}/")
    if expected.absent and re.search(expected.absent, ended.output):
        found.append(f"says /{expected.absent}/")
    return found
