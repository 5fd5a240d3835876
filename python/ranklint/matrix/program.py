"""One rank of one arm: sets the arm's environment, runs the harness, turns its end into an exit code.

The process leaves by `os._exit`: what is left of a process group after a failure must not decide how its process ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence

from .protocol import DEFAULT, Request, Runtime, load_runtime
from .row import Arm, Row

SKIPPED = 77
REFUSED = 3
CRASHED = 1
Harness = Callable[[Runtime, Arm], None]


def say(event: str, **fields: object) -> None:
    """One line of the row's own journal, in the runtime's form."""
    line = {"t": round(time.monotonic(), 4), "rank": int(os.environ["RANK"]), "event": event}
    sys.stdout.write(json.dumps({**line, **fields}) + "\n")
    sys.stdout.flush()


def faulty(requests: Iterable[Request]) -> Iterable[Request]:
    """The requests, with the moment noted at which the first is asked for: the fault is in what follows."""
    say("fault")
    yield from requests


def main(row: Row, harness: Harness, argv: Sequence[str] | None = None) -> None:
    """The command line of a row's module. Never returns."""
    parser = argparse.ArgumentParser(prog=row.harness, description=f"{row.id}: {row.title}; one rank of it")
    parser.add_argument("--arm", default="fault", choices=[arm.name for arm in row.every_arm()])
    parser.add_argument("--runtime", default=os.environ.get("RANKLINT_RUNTIME", DEFAULT), metavar="MODULE:CLASS")
    args = parser.parse_args(argv)
    leave(run(row, harness, args.arm, args.runtime))


def run(row: Row, harness: Harness, arm_name: str, runtime_name: str) -> int:
    """The exit code of this rank."""
    arm, rank = row.arm(arm_name), int(os.environ["RANK"])
    os.environ.update(row.environment(arm, rank))
    if arm.mutant:
        os.environ["RANKLINT_MUTANT"] = arm.mutant
    found = load_runtime(runtime_name)
    missing = row.needed(arm) - found.capabilities
    if missing:
        say("skipped", reason=f"the runtime has no {', '.join(sorted(missing))}")
        return SKIPPED
    try:
        harness(found(label=row.id), arm)
    except found.refusals as error:
        say("refused", error=type(error).__name__, text=str(error))
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return getattr(error, "exit_code", REFUSED)
    except Exception:
        traceback.print_exc()
        return CRASHED
    return 0


def leave(code: int) -> None:
    """Ends the process without the interpreter's teardown; says how, for launchers that keep exit codes secret."""
    say("end", code=code)
    sys.stderr.flush()
    os._exit(code)
