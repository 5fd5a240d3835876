"""Runs the operator matrix without anything else of ranklint: a list of arms, time-outs, a summary (spec 000).

    python -m ranklint.matrix.run_operator_matrix [--row OM-05] [--tranche 0] [--arm fault] [--json PATH]

Verdict of an arm: `pass`, `fail` (with what was missed), or `skip` (with the reason; never a pass). A mutant passes
when its end does *not* look like the good failure. Exit code: 0 all passed, 1 something failed, 2 nothing was run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .catalog import load_rows
from .launch import Launcher, Ports, SpawnLauncher, ZygoteLauncher, run_ranks
from .program import SKIPPED
from .protocol import DEFAULT
from .row import BACKEND, CUT_BY_RUNNER, PREFIX, STAGE_SCALE, Arm, Ended, Row, misses, stage_scale

START_LIMIT_S = 120.0


@dataclass(frozen=True)
class Job:
    """One arm on one backend; `why_not` says why it cannot be run here."""

    row: Row
    arm: Arm
    backend: str = "gloo"
    why_not: str = ""

    @property
    def name(self) -> str:
        """The arm's name, with its backend if that is not gloo."""
        return self.arm.name if self.backend == "gloo" else f"{self.arm.name}@{self.backend}"

    @property
    def alone(self) -> bool:
        """Whether it measures: work beside it would be measured too. Others that measure mostly sleep."""
        return self.row.id.startswith("O-")


@dataclass(frozen=True)
class Verdict:
    """One arm, judged.

    `look` says in a word how a mutant ended; `ends` is exit code (null: ended by the runner) and seconds.
    """

    row: str
    harness: str
    tranche: int
    arm: str
    mutant: str
    status: str
    look: str
    why: str
    ends: list[tuple[int | None, float]] = field(default_factory=list)
    seconds: float = 0.0
    measurements: list[dict[str, object]] = field(default_factory=list)


def judge(job: Job, ended: Sequence[Ended], seconds: float, scale: float) -> Verdict:
    """Compares how the ranks ended with how they should have. A mutant does not pass by being late."""
    row, arm = job.row, job.arm
    scale = math.inf if arm.kind == "mutant" else scale
    found = [misses(expected, one, scale) for expected, one in zip(arm.ranks, ended)]
    missed = [f"rank {rank}: {', '.join(why)}" for rank, why in enumerate(found) if why]
    held = [expected.exit == CUT_BY_RUNNER for expected in arm.ranks]
    look = describe([one for one, still in zip(ended, held) if not still or one.code is not None])
    if any(one.code == SKIPPED for one in ended):
        reason = next(line for line in ended[0].output.splitlines() if '"skipped"' in line)
        status, why = "skip", json.loads(reason)["reason"]
    elif arm.kind == "mutant":
        status, why = ("pass", "; ".join(missed)) if missed else ("fail", "looks like the good failure")
        if look == "broken":
            status, why = "fail", "the mutant does not even start: " + why
    else:
        status, why = ("fail", "; ".join(missed)) if missed else ("pass", "")
    lines = [line for one in ended for line in one.output.splitlines() if '"event": "measurement"' in line]
    measured = [json.loads(line) for line in lines]
    ends = [(one.code, one.seconds) for one in ended]
    about = (row.id, row.harness, row.tranche, job.name, arm.mutant)
    return Verdict(*about, status, look, why, ends, round(seconds, 2), measured)


def describe(ended: Sequence[Ended]) -> str:
    """`hang`, `silent` (all ended with 0), `refused` (some rank refused), `orphaned`, `crash`; `broken` before any
    event.
    """
    codes = {one.code for one in ended}
    if not any('"event"' in one.output for one in ended) or any("PatchError" in one.output for one in ended):
        return "broken"
    if None in codes:
        return "hang"
    if codes == {0}:
        return "silent"
    if codes & {3, 4}:
        return "refused"
    return "orphaned" if 2 in codes else "crash"


def run_arm(job: Job, launcher: Launcher, ports: Ports, args: argparse.Namespace) -> Verdict:
    """Starts the ranks, waits, judges."""
    row, arm = job.row, job.arm
    if job.why_not:
        return skip(job, job.why_not)
    if arm.mutant and args.runtime != DEFAULT:
        return skip(job, "mutants are of the reference runtime")
    begun = time.monotonic()
    fixed = {BACKEND: job.backend, "SCOPE_DIST_BACKEND": job.backend, STAGE_SCALE: os.environ[STAGE_SCALE]}
    still = frozenset(rank for rank, expected in enumerate(arm.ranks) if expected.exit == CUT_BY_RUNNER)
    ended = run_ranks(
        launcher,
        PREFIX + row.harness,
        ["--arm", arm.name, "--runtime", args.runtime],
        [{**row.environment(arm, rank), **fixed} for rank in range(len(arm.ranks))],
        still,
        arm.limit * args.timeout_scale + 0.5,
        START_LIMIT_S * args.timeout_scale,
        args.work / f"{row.harness}-{job.name}",
        ports.take(),
        "compile" in row.needs,
    )
    return judge(job, ended, time.monotonic() - begun, args.timeout_scale)


def skip(job: Job, why: str) -> Verdict:
    """An arm that was not run."""
    return Verdict(job.row.id, job.row.harness, job.row.tranche, job.name, job.arm.mutant, "skip", "", why)


def why_no_nccl(ranks: int) -> str:
    """The reason why an NCCL variant is skipped, or nothing. Asks the driver, not torch."""
    devices = len(list(Path("/dev").glob("nvidia[0-9]*")))
    if devices == 0:
        return "NCCL: no CUDA device"
    return f"NCCL: {ranks} ranks need as many devices, and there are {devices}" if devices < ranks else ""


def print_table(verdicts: Sequence[Verdict]) -> None:
    """Rows by arms, then whatever is not a pass."""
    width = max(len(verdict.harness) for verdict in verdicts)
    for verdict in verdicts:
        ends = " ".join("-" if code is None else str(code) for code, _ in verdict.ends)
        last = max((seconds for _, seconds in verdict.ends), default=0.0)
        how = verdict.why if verdict.status == "skip" else f"{verdict.look:8} [{ends}] {last:.1f} s"
        name = verdict.arm + (f" ({verdict.mutant})" if verdict.mutant else "")
        print(f"{verdict.status.upper():4}  {verdict.row:5} {verdict.harness:{width}}  {name:44} {how}")
    for verdict in verdicts:
        if verdict.status == "fail":
            print(f"\n{verdict.row} {verdict.harness} {verdict.arm}: {verdict.why}")
    count = {status: sum(verdict.status == status for verdict in verdicts) for status in ("pass", "fail", "skip")}
    print(f"\n{count['pass']} passed, {count['fail']} failed, {count['skip']} skipped")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="run_operator_matrix", description="Runs the rows of the operator matrix.")
    add = parser.add_argument
    add("--row", action="append", default=[], metavar="ID", help="only this row (or harness); repeatable")
    add("--tranche", action="append", type=int, default=[], metavar="N")
    add("--arm", action="append", default=[], metavar="ARM", help="only this arm, or kind of arm")
    add("--jobs", type=int, default=3 * (os.cpu_count() or 1), metavar="N")
    add("--timeout-scale", type=float, default=1.0, metavar="X")
    add("--runtime", default=DEFAULT, metavar="MODULE:CLASS")
    add("--launcher", choices=["zygote", "spawn"], default="zygote" if hasattr(os, "fork") else "spawn")
    add("--list", action="store_true", help="print the rows and their arms, and stop")
    add("--json", type=Path, metavar="PATH", help="write all verdicts there")
    add("--work", type=Path, default=Path(".cache/ranklint/matrix"), metavar="FOLDER", help="output of the ranks")
    return parser.parse_args(argv)


def select(rows: Sequence[Row], args: argparse.Namespace) -> list[Job]:
    """The arms that the command line asks for, on every backend of their rows."""
    return [
        Job(row, arm, backend, "" if backend == "gloo" else why_no_nccl(len(arm.ranks)))
        for row in rows
        if (not args.row or row.id in args.row or row.harness in args.row)
        and (not args.tranche or row.tranche in args.tranche)
        for backend in row.backends
        for arm in row.every_arm()
        if not args.arm or arm.name in args.arm or arm.kind in args.arm
    ]


def run_all(jobs: Sequence[Job], launcher: Launcher, ports: Ports, args: argparse.Namespace) -> list[Verdict]:
    """All verdicts, in the order of `jobs`.

    Mutants start first, for those that hang cost time but no work; then the rest; then what measures, apart from it.
    """
    verdicts: dict[int, Verdict] = {}
    working = [index for index, job in enumerate(jobs) if not job.alone]
    working.sort(key=lambda index: jobs[index].arm.kind != "mutant")
    measuring = [index for index, job in enumerate(jobs) if job.alone]
    for chosen, workers in ((working, args.jobs), (measuring, min(args.jobs, 3))):
        os.environ[STAGE_SCALE] = stage_scale()
        with ThreadPoolExecutor(workers) as pool:
            verdicts.update(zip(chosen, pool.map(lambda index: run_arm(jobs[index], launcher, ports, args), chosen)))
    return [verdicts[index] for index in range(len(jobs))]


def main(argv: Sequence[str] | None = None) -> None:
    """See the module."""
    args = parse(argv)
    jobs = select(load_rows(), args)
    if args.list:
        for job in jobs:
            print(f"{job.row.id:5}  tranche {job.row.tranche}  {job.row.harness}  {job.name}  {job.arm.mutant}")
        return
    if not jobs:
        sys.exit(2)
    begun = time.monotonic()
    shutil.rmtree(args.work, ignore_errors=True)
    launcher = ZygoteLauncher({"OMP_NUM_THREADS": "1"}) if args.launcher == "zygote" else SpawnLauncher()
    try:
        verdicts = run_all(jobs, launcher, Ports(), args)
    finally:
        launcher.close()
    print_table(verdicts)
    print(f"{time.monotonic() - begun:.1f} s")
    if args.json:
        report = {"version": 1, "arms": [asdict(verdict) for verdict in verdicts]}
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if any(verdict.status == "fail" for verdict in verdicts) else 0)


if __name__ == "__main__":
    main()
