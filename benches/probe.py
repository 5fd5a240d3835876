#!/usr/bin/env python3
"""Measure what the probe costs.

Three figures: a collective's enter and exit around a function that does nothing (what the probe adds to a call in the
process that makes it), a small ``all_reduce`` on two gloo ranks plain, under the probe, and under
TORCH_DISTRIBUTED_DEBUG=DETAIL, and the start of an interpreter that imports nothing. Needs torch (``scripts/test``
installs it into ``.venv``)::

    benches/probe.py             # prints a table
    benches/probe.py --calls N   # calls of each loop
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from socket import socket
from typing import Any, Callable

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "python" / "ranklint" / "probe" / "site"
TURNS = 3


def main() -> None:
    """Runs the parts in turn, each in processes of its own."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--calls", type=int, default=400)
    arguments.add_argument("--part", choices=["nothing", "all_reduce"], help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.part == "nothing":
        around_nothing(options.calls)
    elif options.part == "all_reduce":
        small_all_reduce(options.calls)
    else:
        table(options.calls)


def table(calls: int) -> None:
    """Prints all figures."""
    nothing = [start(["--part", "nothing", "--calls", str(calls * 50)], probe=True)[0] for _ in range(TURNS)]
    print("| enter and exit around nothing | µs a call, best of turns |")
    print("|---|---|")
    for name in ("plain", "cached", "labelled"):
        print(f"| {name} | {min(float(line[name]) for line in nothing):.2f} |")
    ways: dict[str, dict[str, Any]] = {
        "plain": {"probe": False},
        "probe": {"probe": True},
        "DETAIL": {"probe": False, "more": {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}},
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            lines = start(["--part", "all_reduce", "--calls", str(calls)], ranks=2, **way)
            taken[name].append(max(float(line["all_reduce"]) for line in lines))
    print("\n| all_reduce of 12 floats, 2 gloo ranks | µs a call, median | best |")
    print("|---|---|---|")
    for name, times in taken.items():
        print(f"| {name} | {statistics.median(times):.0f} | {min(times):.0f} |")
    print("\n| python -c pass | ms, best |")
    print("|---|---|")
    for name, probe in (("plain", False), ("probe", True)):
        print(f"| {name} | {min(interpreter(probe) for _ in range(20)) * 1000:.1f} |")


def environment(folder: str, probe: bool) -> dict[str, str]:
    """The environment of a process with or without the probe."""
    found = {**os.environ, "OMP_NUM_THREADS": "1"}
    if probe:
        found |= {"PYTHONPATH": str(SITE), "RANKLINT_PROBE_LOG": folder}
    return found


def start(arguments: list[str], *, probe: bool, ranks: int = 1, more: dict[str, str] | None = None) -> list[dict]:
    """Runs this file as ``ranks`` ranks and reads what they print."""
    with tempfile.TemporaryDirectory() as folder, socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        free.close()
        running = []
        for rank in range(ranks):
            job = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
            running.append(
                subprocess.Popen(
                    [sys.executable, __file__, *arguments],
                    env={**environment(folder, probe), **job, **(more or {})},
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        outputs = [process.communicate(timeout=300)[0] for process in running]
    return [dict(line.split("=") for line in output.splitlines() if "=" in line) for output in outputs]


def interpreter(probe: bool) -> float:
    """Seconds an interpreter takes that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], env=environment(folder, probe), check=True)
        return time.perf_counter() - begun


def best(call: Callable[[], Any], calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Microseconds of one call by ``clock``: the best of several loops."""
    found = []
    for _ in range(9):
        begun = clock()
        for _ in range(calls):
            call()
        found.append((clock() - begun) / calls * 1e6)
    return min(found)


def around_nothing(calls: int) -> None:
    """Wraps a function that does nothing the way ``all_reduce`` is wrapped."""
    import torch
    import torch.distributed as dist

    probe = sys.modules["_ranklint_probe"]
    dist.init_process_group("gloo")
    group = dist.group.WORLD
    tensor = torch.ones(4, 3)
    tensors = {"bias": tensor}
    name = "bias"

    def nothing(tensor: Any, op: Any = dist.ReduceOp.SUM, group: Any = None, async_op: bool = False) -> None:
        return None

    def loop() -> None:
        nothing(tensor, group=group)

    def loop_with_label() -> None:
        key = name
        nothing(tensors[key], group=group)

    # Time of the processor: a call that does nothing waits for nobody.
    print(f"plain={best(loop, calls, time.process_time)}")
    place = probe.patch.swap.find(nothing)
    probe.patch.swap.put(place, probe.patch.calls.wrap(probe.patch.FUNCTIONS["all_reduce"], place))
    print(f"cached={best(loop, calls, time.process_time)}")
    print(f"labelled={best(loop_with_label, calls, time.process_time)}")
    dist.destroy_process_group()


def small_all_reduce(calls: int) -> None:
    """A small ``all_reduce`` on the ranks there are."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    tensor = torch.ones(4, 3)
    print(f"all_reduce={best(lambda: dist.all_reduce(tensor), calls // 9)}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
