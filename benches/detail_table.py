#!/usr/bin/env python3
"""What ``verify`` and ``TORCH_DISTRIBUTED_DEBUG=DETAIL`` make of the same witness programs, side by side.

usage: .venv/bin/python benches/detail_table.py --ranklint BIN [--programs DIR] [--write docs/verify-table.md]

Each program runs at 4 ranks twice: under ``ranklint verify programs``, and as plain ranks with DETAIL, both forked
from a parent that has imported torch. A program that DETAIL lets run into its own time-out (20 s) counts as a hang.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RANKS = 4
LIMIT = 45.0
"""Seconds after which ranks under DETAIL are killed; the programs' own time-out is 20 s."""
HANG = 15.0
"""A run under DETAIL that ends in failure after so many seconds was ended by the program's time-out."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranklint", required=True, type=Path)
    parser.add_argument("--programs", type=Path, default=Path("../shared/conformance/ranks"))
    parser.add_argument("--write", type=Path, help="write the table to this file")
    arguments = parser.parse_args()
    programs = sorted(path.resolve() for path in arguments.programs.glob("*.py"))
    with tempfile.TemporaryDirectory(dir=Path("target")) as scratch:
        ours = verified(arguments.ranklint.resolve(), programs, Path(scratch))
        theirs = {path: under_detail(path, Path(scratch)) for path in programs}
    text = table(programs, ours, theirs)
    if arguments.write:
        arguments.write.write_text(text)
    else:
        print(text, end="")


def expectation(path: Path) -> str:
    """``diverges``, ``in-step`` or ``either``, as the program says itself."""
    found = re.search(r"^# expect: (\S+)", path.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path}: no `# expect:`")
    return found[1]


def verified(ranklint: Path, programs: list[Path], scratch: Path) -> dict[Path, dict[str, Any]]:
    """Outcome, latency and wall time of each program under ``verify programs``."""
    command = [str(ranklint), "verify", "programs", "-n", str(RANKS), "--python", sys.executable]
    command += ["--output-format", "json", *map(str, programs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch)
    if not done.stdout:
        raise SystemExit(f"ranklint: {done.stderr}")
    results = {}
    for program in json.loads(done.stdout)["programs"]:
        report = program["report"]
        outcome = report["outcome"]
        name = outcome if isinstance(outcome, str) else next(iter(outcome))
        results[Path(program["program"])] = {
            "outcome": name,
            "latency": report["latency_us"],
            "wall": report["wall_us"] / 1e6,
        }
    return results


def under_detail(path: Path, scratch: Path) -> dict[str, Any]:
    """How the ranks end under DETAIL: ``passed``, ``failed`` or ``hang``, and after how many seconds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = time.monotonic()
    children = {fork(path, rank, port, scratch): rank for rank in range(RANKS)}
    failed = False
    while children and time.monotonic() - started < LIMIT:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            time.sleep(0.005)
            continue
        children.pop(pid)
        failed |= status != 0
    seconds = time.monotonic() - started
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    hung = bool(children) or (failed and seconds > HANG)
    return {"outcome": "hang" if hung else "failed" if failed else "passed", "wall": seconds}


def fork(path: Path, rank: int, port: int, scratch: Path) -> int:
    """Starts one rank as a fork of this process and returns its number."""
    import torch.distributed as dist

    pid = os.fork()
    if pid:
        return pid
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(RANKS),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        TORCH_DISTRIBUTED_DEBUG="DETAIL",
    )
    code = 1
    try:
        os.chdir(scratch)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        dist.set_debug_level_from_env()
        runpy.run_path(str(path), run_name="__main__")
        code = 0
    finally:
        os._exit(code)


def table(programs: list[Path], ours: dict[Path, dict[str, Any]], theirs: dict[Path, dict[str, Any]]) -> str:
    """The table as Markdown, with the sums above it."""
    diverging = [path for path in programs if expectation(path) == "diverges"]
    in_step = [path for path in programs if expectation(path) == "in-step"]
    found = [path for path in diverging if ours[path]["outcome"] != "passed"]
    latencies = [ours[path]["latency"] / 1e6 for path in found if ours[path]["latency"] is not None]
    flagged = [path for path in diverging if theirs[path]["outcome"] == "failed"]
    hung = [path for path in diverging if theirs[path]["outcome"] == "hang"]
    silent = [path for path in diverging if theirs[path]["outcome"] == "passed"]
    false_ours = [path for path in in_step if ours[path]["outcome"] != "passed"]
    false_theirs = [path for path in in_step if theirs[path]["outcome"] != "passed"]
    total, calm = len(diverging), len(in_step)
    soon = sum(latency <= 1 for latency in latencies)
    lines = [
        "# What a run shows: `verify` and `TORCH_DISTRIBUTED_DEBUG=DETAIL`",
        "",
        "Written by `benches/detail_table.py`: the witness programs at 4 ranks, gloo, on 2 cores.",
        "",
        "| | `ranklint verify` | DETAIL |",
        "|---|---|---|",
        f"| diverging programs that end with an error | {len(found)}/{total} | {len(flagged)}/{total} |",
        f"| … that run into a time-out | 0 | {len(hung)} |",
        f"| … that pass as if nothing were wrong | {total - len(found)} | {len(silent)} |",
        f"| programs in step that do not pass | {len(false_ours)}/{calm} | {len(false_theirs)}/{calm} |",
        f"| verdict within 1 s of the divergence | {soon}/{len(latencies)} | |",
        f"| median time to the verdict | {statistics.median(latencies) * 1000:.0f} ms | |",
        "",
        "| program | marked | `verify` | DETAIL |",
        "|---|---|---|---|",
    ]
    for path in programs:
        us, them = ours[path], theirs[path]
        latency = "" if us["latency"] is None else f", {us['latency'] / 1000:.0f} ms"
        detail = f"{them['outcome']}, {them['wall']:.1f} s"
        lines.append(f"| `{path.stem}` | {expectation(path)} | {us['outcome']}{latency} | {detail} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
