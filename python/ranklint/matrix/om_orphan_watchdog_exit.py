"""OM-13: rank 0 is gone. Its workers must end themselves within the watchdog's window.

Killed and stopped are two things: the connection of a killed peer closes, and the worker hears of it at once.
A stopped one holds its worker for the whole time-out of the group; only the watchdog ends that.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

from .program import main, say
from .protocol import Request, Runtime
from .row import CUT_BY_RUNNER, PP, Arm, Expectation, Row, clean, mutant

WATCHED = {"SCOPE_TP_WORKER_WATCHDOG_S": "2", "SCOPE_TP_HEARTBEAT_S": "0.5"}
WITHIN = 2 + 0.5 + 2  # watchdog, heartbeat, and two seconds
ENDED = Expectation(2, r'"event": "watchdog".*"last_heard_s_ago": \d.*"threshold_s": 2', within=WITHIN)
STOPPED = Expectation(CUT_BY_RUNNER)
CLEAN = clean(2, WATCHED)
FAULT = Arm("fault", (STOPPED, ENDED), WATCHED)
IDLE = Arm("fault-idle", (STOPPED, ENDED), WATCHED)
KILLED = Arm("fault-kill", (Expectation(-9), Expectation(2, "peer lost", within=WITHIN)), WATCHED)
IN_PP = Arm("fault-pp", (STOPPED, ENDED, Expectation(2, within=WITHIN)), {**PP, **WATCHED})
UNHEARD = Arm("mutant-heartbeat", CLEAN.ranks, WATCHED, mutant="no-heartbeat", has_baseline=False)

ROW = Row(
    id="OM-13",
    title="orphaned workers",
    surface="shutdown",
    tranche=0,
    harness="om_orphan_watchdog_exit",
    needs=frozenset({"tp", "watchdog"}),
    rules=("unwatched-worker-loop", "collective-in-handler", "swallowed-failure", "collective-off-thread"),
    arms=(
        CLEAN,
        clean(3, {**PP, **WATCHED}, suffix="-pp"),
        FAULT,
        IDLE,
        KILLED,
        IN_PP,
        mutant(FAULT, "no-watchdog"),
        UNHEARD,
    ),
    backends=("gloo", "nccl"),
)


def requests(arm: Arm) -> Iterator[Request]:
    """A chunk, a pause longer than the watchdog, a chunk; or rank 0 goes in between, idle or not."""
    yield Request()
    if not arm.faulted or arm.variant == "heartbeat":
        yield Request(idle_s=3)
        return
    if arm.variant == "idle":
        yield Request(idle_s=0.6)
    say("fault")
    os.kill(os.getpid(), signal.SIGKILL if arm.variant == "kill" else signal.SIGSTOP)
    yield Request()


def harness(runtime: Runtime, arm: Arm) -> None:
    """Rank 0 stops or dies by its own hand, between two calls."""
    runtime.start()
    runtime.run(requests(arm))


if __name__ == "__main__":
    main(ROW, harness)
