"""Starts the ranks of an arm, waits for them with a deadline, and leaves none behind.

Two ways: forked from a warm zygote, or as plain processes. Either way each rank has its own session and its own
output file.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .row import Ended

POLL_S = 0.03


@dataclass
class Rank:
    """One started rank. `code` is None while it runs; `ended` is the monotonic time of its end."""

    output: Path
    pid: int = 0
    code: int | None = None
    ended: float = 0.0


class Launcher(Protocol):
    """Starts one rank."""

    def start(self, module: str, argv: Sequence[str], env: Mapping[str, str], output: Path, compile: bool) -> Rank:
        """Returns once the process exists. `compile`: the rank will use the compiler, which is worth preparing."""

    def poll(self, rank: Rank) -> None:
        """Fills in `code` and `ended` if the rank has ended."""

    def close(self) -> None:
        """Ends the launcher itself."""


class SpawnLauncher:
    """A fresh interpreter for every rank."""

    def __init__(self) -> None:
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, module: str, argv: Sequence[str], env: Mapping[str, str], output: Path, compile: bool) -> Rank:
        """See `Launcher`."""
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *argv],
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        self._processes[process.pid] = process
        return Rank(output, process.pid)

    def poll(self, rank: Rank) -> None:
        """See `Launcher`."""
        if rank.code is None and (code := self._processes[rank.pid].poll()) is not None:
            rank.code, rank.ended = code, time.monotonic()

    def close(self) -> None:
        """Nothing of its own to end."""


class ZygoteLauncher:
    """Ranks forked from one warm process; safe to use from several threads."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._zygote = subprocess.Popen(
            [sys.executable, "-m", "ranklint.matrix.zygote"],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self._pending = b""
        self._ids = 0
        self._ranks: dict[int, Rank] = {}
        while not self._pending.count(b"\n"):
            self._pending += os.read(self._zygote.stdout.fileno(), 65536) or self._gone()
        self._pending = self._pending.partition(b"\n")[2]

    def start(self, module: str, argv: Sequence[str], env: Mapping[str, str], output: Path, compile: bool) -> Rank:
        """See `Launcher`."""
        rank = Rank(output)
        with self._lock:
            self._ids += 1
            self._ranks[self._ids] = rank
            order = {"id": self._ids, "module": module, "argv": list(argv), "env": dict(env), "output": str(output)}
            order["compile"] = compile
            self._zygote.stdin.write(json.dumps(order).encode() + b"\n")
            self._zygote.stdin.flush()
        while rank.pid == 0:
            self._listen(1.0)
        return rank

    def poll(self, rank: Rank) -> None:
        """See `Launcher`."""
        if rank.code is None:
            self._listen(0.0)

    def close(self) -> None:
        """Closes the zygote's input, upon which it ends all it has forked, and itself."""
        self._zygote.stdin.close()
        try:
            self._zygote.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self._zygote.pid, signal.SIGKILL)
            self._zygote.wait()

    def _listen(self, seconds: float) -> None:
        with self._lock:
            source = self._zygote.stdout.fileno()
            if not select.select([source], [], [], seconds)[0]:
                return
            self._pending += os.read(source, 65536) or self._gone()
            *lines, self._pending = self._pending.split(b"\n")
            for line in lines:
                answer = json.loads(line)
                rank = self._ranks[answer["id"]]
                if "pid" in answer:
                    rank.pid = answer["pid"]
                else:
                    rank.code, rank.ended = answer["code"], time.monotonic()

    def _gone(self) -> bytes:
        raise RuntimeError("the zygote has died")


class Ports:
    """Free ports, none handed out twice in one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: set[int] = set()

    def take(self) -> int:
        """A port that nobody listened on a moment ago."""
        with self._lock:
            while True:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", 0))
                    port = probe.getsockname()[1]
                if port not in self._given:
                    self._given.add(port)
                    return port


def run_ranks(
    launcher: Launcher,
    module: str,
    argv: Sequence[str],
    envs: Sequence[Mapping[str, str]],
    still: frozenset[int],
    limit: float,
    start_limit: float,
    folder: Path,
    port: int,
    compile: bool,
) -> list[Ended]:
    """Runs one arm and tells how each rank ended. Ranks in `still` are not waited for.

    `limit` counts from the fault: the first line `"event": "fault"` of any rank. Until then `start_limit` holds,
    which is generous: start-up is not what is judged. Whatever still runs at the end is killed, its whole session
    with it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ranks = []
    begun = time.monotonic()
    for number, env in enumerate(envs):
        place = {
            "RANK": str(number),
            "LOCAL_RANK": str(number),
            "WORLD_SIZE": str(len(envs)),
            "LOCAL_WORLD_SIZE": str(len(envs)),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(port),
        }
        ranks.append(launcher.start(module, argv, {**place, **env}, folder / f"rank{number}.log", compile))
    fault: float | None = None
    while any(rank.code is None for number, rank in enumerate(ranks) if number not in still):
        time.sleep(POLL_S)
        for rank in ranks:
            launcher.poll(rank)
        fault = fault or find_fault(ranks)
        if time.monotonic() > (begun + start_limit if fault is None else fault + limit):
            break
    fault = fault or find_fault(ranks)
    since = begun if fault is None else fault
    ended = [Ended(rank.code, (rank.ended or time.monotonic()) - since, "") for rank in ranks]
    end_all(launcher, ranks)
    return [Ended(one.code, round(one.seconds, 3), read(rank.output)) for one, rank in zip(ended, ranks)]


def find_fault(ranks: Sequence[Rank]) -> float | None:
    """The time of the last fault announced so far; the clock is the machine's, the same in all processes."""
    times = []
    for rank in ranks:
        for line in read(rank.output).splitlines():
            if '"event": "fault"' in line:
                with contextlib.suppress(ValueError):
                    times.append(json.loads(line)["t"])
    return max(times) if times else None


def end_all(launcher: Launcher, ranks: Sequence[Rank]) -> None:
    """Kills the sessions of all ranks, ended or not: a rank may have left children."""
    for rank in ranks:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(rank.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while any(rank.code is None for rank in ranks) and time.monotonic() < deadline:
        time.sleep(POLL_S)
        for rank in ranks:
            launcher.poll(rank)


def read(path: Path) -> str:
    """A rank's output so far."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
