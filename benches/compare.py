#!/usr/bin/env python3
"""Measure parsing alone, ``ranklint check`` and ``ruff check`` side by side, on real packages.

The packages are downloaded once from the package index into the user's cache folder and unpacked there. The programs
take turns, so that a machine that slows down slows all of them; figures are medians over the turns.

Run ``scripts/test`` once before (it installs ruff into ``.venv``), then::

    benches/compare.py               # fetches, builds, measures, prints a table
    benches/compare.py --markdown    # the table as it stands in README.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "accelerate": "1.15.0",
    "megatron-core": "0.16.1",
    "deepspeed": "0.19.8",
    "torchtitan": "0.3.0",
    "trl": "1.16.0",
    "verl": "0.9.1",
    "pytorch-lightning": "2.6.6",
    "transformers": "5.23.0",
    "sglang": "0.5.23",
}
ARCHIVES = (".whl", ".zip", ".tar.gz")
# Ends that are results: 0 is clean, 1 is findings.
RESULTS = (0, 1)


@dataclass
class Program:
    """One of the programs compared, and what its turns took."""

    name: str
    command: list[str]
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    peak_mib: list[float] = field(default_factory=list)
    failure: str | None = None


def main() -> int:
    arguments = parse_arguments()
    bench = cache_folder() / "ranklint" / "bench"
    tree = bench / "tree"
    packages = arguments.packages or list(PACKAGES)
    for package in packages:
        fetch(package, PACKAGES[package], bench / "downloads", tree)
    paths = [folder_name(package, PACKAGES[package]) for package in packages]
    if arguments.fetch_only:
        print(tree)
        return 0

    built = build()
    check = ["check", "--no-cache", "--isolated", "--output-format", "concise"]
    programs = [
        Program("parsing alone", [built["parse_only"], *paths]),
        Program("ranklint check", [built["ranklint"], *check, *paths]),
    ]
    ruff = find_ruff()
    if ruff:
        programs.append(Program("ruff check", [ruff, "check", "--no-cache", "--isolated", "--quiet", *paths]))
    else:
        complain("ruff is not installed and is left out: run scripts/test, which puts it into .venv")

    for turn in range(arguments.runs + 1):
        for program in programs:
            # The first turn warms the page cache and does not count.
            measure(program, tree, arguments.limit, counts=turn > 0)
    counts = json.loads(subprocess.run(programs[0].command, cwd=tree, capture_output=True, check=True).stdout)
    report(programs, counts, arguments)
    return 1 if any(program.failure for program in programs) else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES], metavar="PACKAGE", help="default: all")
    parser.add_argument("--runs", type=int, default=5, help="turns that count (default: 5)")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a turn is ended (default: 300)")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument("--fetch-only", action="store_true", help="fetch the packages, print where they lie, and stop")
    return parser.parse_args()


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def folder_name(package: str, version: str) -> str:
    return f"{package}-{version}"


def fetch(package: str, version: str, downloads: Path, tree: Path) -> None:
    """Download and unpack one package, unless it lies there already."""
    target = tree / folder_name(package, version)
    if target.is_dir():
        return
    downloads.mkdir(parents=True, exist_ok=True)
    archive = downloaded(package, version, downloads)
    if archive is None:
        complain(f"fetching {package} {version}")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        # A wheel where there is one: for a source archive pip asks its build system for metadata, which takes longer.
        wanted = [f"{package}=={version}", "--dest", str(downloads)]
        if subprocess.run([*pip, "--only-binary", ":all:", *wanted], stderr=subprocess.DEVNULL, check=False).returncode:
            subprocess.run([*pip, "--no-binary", ":all:", *wanted], check=False)
        archive = downloaded(package, version, downloads)
    if archive is None:
        sys.exit(f"error: {package} {version} could not be fetched from the package index")
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    unpack(archive, part)
    part.rename(target)


def downloaded(package: str, version: str, downloads: Path) -> Path | None:
    """The archive of a package among those downloaded."""
    prefix = f"{package.replace('-', '_')}-{version}"
    for archive in sorted(downloads.iterdir()):
        if archive.name.replace("-", "_").startswith(prefix.replace("-", "_")) and archive.name.endswith(ARCHIVES):
            return archive
    return None


def unpack(archive: Path, target: Path) -> None:
    if archive.name.endswith(".tar.gz"):
        with tarfile.open(archive) as tar:
            # Python 3.9 to 3.11.3 have no filters.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            tar.extractall(target, **safe)
    else:
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(target)


def build() -> dict[str, str]:
    """Build both programs as they are published and say where they lie."""
    command = ["cargo", "build", "--profile=dist", "--locked", "--message-format=json-render-diagnostics"]
    command += ["--bench=parse_only", "--bin=ranklint"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    artifacts = [json.loads(line) for line in built.splitlines()]
    return {artifact["target"]["name"]: artifact["executable"] for artifact in artifacts if artifact.get("executable")}


def find_ruff() -> str | None:
    own = ROOT / ".venv" / "bin" / "ruff"
    return str(own) if own.is_file() else shutil.which("ruff")


def measure(program: Program, tree: Path, limit_s: float, *, counts: bool) -> None:
    """Let a program take its turn; its CPU time and peak memory are the kernel's figures for that process."""
    if program.failure:
        return
    started = time.perf_counter()
    process = subprocess.Popen(program.command, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall_s = time.perf_counter() - started
        if pid:
            break
        if wall_s > limit_s:
            process.kill()
            program.failure = f"not done after {limit_s:g} s"
        time.sleep(0.005)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in RESULTS and not program.failure:
        program.failure = f"ended with {process.returncode}"
    if counts and not program.failure:
        program.wall_s.append(wall_s)
        program.cpu_s.append(usage.ru_utime + usage.ru_stime)
        # Linux counts in KiB, macOS in bytes.
        program.peak_mib.append(usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def report(programs: list[Program], counts: dict[str, int], arguments: argparse.Namespace) -> None:
    rows = [["", "wall", "to parsing", "CPU", "to parsing", "peak memory", "lines a second"]]
    floor = programs[0]
    for program in programs:
        if program.failure:
            rows.append([program.name, program.failure, "", "", "", "", ""])
            continue
        wall, cpu = statistics.median(program.wall_s), statistics.median(program.cpu_s)
        against = ["", ""]
        if not floor.failure:
            against = [
                f"{wall / statistics.median(floor.wall_s):.2f}",
                f"{cpu / statistics.median(floor.cpu_s):.2f}",
            ]
        speed = f"{counts['lines'] / wall / 1e6:.2f} M"
        memory = f"{statistics.median(program.peak_mib):.0f} MiB"
        rows.append([program.name, f"{wall:.2f} s", against[0], f"{cpu:.2f} s", against[1], memory, speed])
    about = (
        f"{counts['files']:,} files, {counts['lines']:,} lines, {counts['bytes'] / 1e6:.0f} MB; medians of "
        f"{arguments.runs} runs in turn; {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    )
    if arguments.markdown:
        print("| " + " | ".join(rows[0]) + " |\n|---" + "|---:" * (len(rows[0]) - 1) + "|")
        for row in rows[1:]:
            print("| " + " | ".join(row) + " |")
        print(f"\n{about}.")
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  ".join(cells).rstrip())
    print(about)


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
