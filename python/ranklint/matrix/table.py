"""`python -m ranklint.matrix.table REPORT.json`: what a run of the matrix has shown, as Markdown.

Two tables: rows by arms, and mutants by rows; in the second, how a row's fault ends without the guard.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from .catalog import load_rows
from .mutants import explain


def tabulate(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines)) + "\n"


def codes(arm: dict) -> str:
    """How each rank ended: exit codes, `-` for a rank that the runner ended."""
    return " ".join("–" if code is None else str(code) for code, _ in arm["ends"])  # noqa: RUF001


def render(report: dict) -> str:
    """Both tables of a report of `run_operator_matrix --json`."""
    by_harness: dict[str, list[dict]] = {}
    for arm in report["arms"]:
        if "@" not in arm["arm"]:
            by_harness.setdefault(arm["harness"], []).append(arm)
    rows, mutants = [], []
    for row in load_rows():
        arms = by_harness.get(row.harness, [])
        cells = []
        for kind in ("clean", "fault", "mutant", "baseline"):
            of_kind = [arm for arm in arms if arm["arm"].partition("-")[0] == kind]
            cells.append("<br>".join(f"{arm['status']} [{codes(arm)}]" for arm in of_kind))
        rows.append([row.id, row.title, str(row.tranche), *cells])
        for arm in arms:
            if arm["arm"].startswith("mutant"):
                said = explain(arm["mutant"])
                mutants.append([row.id, f"`{arm['mutant']}`", said, arm["look"], f"[{codes(arm)}]", arm["status"]])
    return (
        tabulate(["row", "failure", "tranche", "clean", "fault", "mutant", "baseline"], rows)
        + "\n"
        + tabulate(["row", "mutant", "what it lacks", "its end", "exit codes", "told apart"], mutants)
    )


if __name__ == "__main__":
    print(render(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")
