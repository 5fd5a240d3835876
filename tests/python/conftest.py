"""Runs small programs as ranks, with and without the probe, and reads the logs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "python" / "ranklint"
SITE = PACKAGE / "probe" / "site"
DEADLINE = 240
MOMENTS = ("enter", "return", "raise", "wait", "waited", "drop")


def wire() -> dict[str, set[str]]:
    """The fields of each fact, as the reader of the logs has them."""
    text = (ROOT / "src" / "verify" / "event.rs").read_text(encoding="utf-8")
    structs = {
        name: set(re.findall(r"^    pub (\w+):", body, re.M))
        for name, body in re.findall(r"pub struct (\w+) \{\n(.*?)\n\}", text, re.S)
    }
    (facts,) = re.findall(r"pub enum Fact \{\n(.*?)\n\}", text, re.S)
    return {fact.lower(): structs[struct] for fact, struct in re.findall(r"^    (\w+)\((\w+)\),", facts, re.M)}


WIRE = wire()


class Log:
    """One log, read back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: list[tuple[str, Any]] = []
        self.moments: list[tuple[str, list[int]]] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if isinstance(event, list):
                self.moments.append((MOMENTS[event[0]], event[1:]))
            else:
                self.facts.extend(event.items())
        for kind, content in self.facts:
            assert set(content) == WIRE[kind], kind

    def all(self, kind: str) -> list[Any]:
        """The facts of a kind."""
        return [content for name, content in self.facts if name == kind]

    def one(self, kind: str) -> Any:
        """The only fact of a kind."""
        (content,) = self.all(kind)
        return content

    def calls(self) -> list[dict[str, Any]]:
        """The signatures of all calls in the order they were entered, each with what became of it."""
        signatures = {signature["id"]: signature for signature in self.all("signature")}
        sites = {site["id"]: site["frames"] for site in self.all("site")}
        groups = {group["id"]: group["ranks"] for group in self.all("group")}
        calls: dict[int, dict[str, Any]] = {}
        for what, numbers in self.moments:
            if what == "enter":
                call = dict(signatures[numbers[1]], became=[], thread=numbers[2])
                call["line"] = next((frame["line"] for frame in sites[call["site"]]), None)
                call["ranks"] = groups.get(call["group"])
                calls[numbers[0]] = call
            else:
                calls[numbers[0]]["became"].append(what)
        return list(calls.values())

    def of(self, op: str) -> list[dict[str, Any]]:
        """The calls of one operation."""
        return [call for call in self.calls() if call["op"] == op]


@dataclass
class Rank:
    """How one process ended."""

    code: int
    out: str
    err: str
    logs: list[Log]

    @property
    def log(self) -> Log:
        """The only log."""
        (log,) = self.logs
        return log


def free_port() -> int:
    """A port nobody listens on."""
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def write(folder: Path, text: str, name: str = "program.py") -> Path:
    """Writes a program; its first line is line 1."""
    path = folder / name
    path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return path


def environment(log: Path | None, **more: str) -> dict[str, str]:
    """The environment of a process, under the probe where there is a folder for logs."""
    found = {key: value for key, value in os.environ.items() if not key.startswith(("RANKLINT_", "SCOPE_TEST_"))}
    found["OMP_NUM_THREADS"] = "1"
    if log is not None:
        log.mkdir(exist_ok=True)
        found["RANKLINT_PROBE_LOG"] = str(log)
        found["PYTHONPATH"] = str(SITE)
    return {**found, **more}


def start(program: Path, *, ranks: int = 2, probe: bool = True, flags: tuple[str, ...] = (), **more: str) -> list[Rank]:
    """Runs a program as ``ranks`` ranks to their ends."""
    log = program.parent / "log" if probe else None
    job = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    running = [
        subprocess.Popen(
            [sys.executable, *flags, str(program)],
            env=environment(log, **job, RANK=str(rank), LOCAL_RANK=str(rank), **more),
            cwd=program.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(ranks)
    ]
    ended = []
    for rank, process in enumerate(running):
        out, err = process.communicate(timeout=DEADLINE)
        ended.append(Rank(process.returncode, out, err, logs(log, f"r{rank}-")))
    return ended


def alone(program: Path, *, probe: bool = True, flags: tuple[str, ...] = (), **more: str) -> Rank:
    """Runs a program that is no rank of anything."""
    log = program.parent / "log" if probe else None
    ended = subprocess.run(
        [sys.executable, *flags, str(program)],
        env=environment(log, **more),
        cwd=program.parent,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return Rank(ended.returncode, ended.stdout, ended.stderr, logs(log, "r"))


def logs(folder: Path | None, prefix: str) -> list[Log]:
    """The logs there are, by name."""
    if folder is None or not folder.is_dir():
        return []
    return [Log(path) for path in sorted(folder.glob(f"{prefix}*.jsonl"))]
