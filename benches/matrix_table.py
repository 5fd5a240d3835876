#!/usr/bin/env python3
"""Writes docs/matrix.md: rows by arms, rows by mutants, and what the linter says to each mutant's source.

usage: .venv/bin/python benches/matrix_table.py --ranklint BIN [--report REPORT.json] [--torchrun REPORT.json]
       [--check] [--write FILE]

The first two tables come from a report of `ranklint verify matrix --output json:REPORT.json`; without `--report` they
stay as the page has them. The third needs no torch: the sources are written out and linted. `--check` writes nothing,
and fails when the third table of the page, or the rows, arms and mutants of the others, are not those of the code.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "matrix.md"
CROSSWALK = ROOT / "docs" / "crosswalk.md"
KINDS = ("clean", "fault", "mutant", "baseline")
DYNAMIC = ("<!-- dynamic: from a run -->\n", "<!-- end of dynamic -->\n")
# Rows whose guard no rule sees in the source yet: the group `compile` is not written, and a gate on a measurement is no
# pattern of the source. A row may leave this list, and none may join it unseen.
UNSEEN = frozenset({"C-02", "C-03", "O-02"})
INTRODUCTION = """\
# The operator matrix

`ranklint verify matrix` runs it; `benches/matrix_table.py` writes this page. Each row breaks the bundled control plane
(`python/ranklint/reference`) in one way. Its *clean* arms have no fault and end cleanly. Its *fault* arms commit the
fault, and every rank must end with the code and the words that the row states, in time. Its *mutant* arms commit the
same fault with one guard taken out of the runtime, and must *not* look like that failure. Its *baseline* arms have no
fault and lack the guard, and end cleanly: a mutant lacks its guard and nothing else.

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranklint", required=True, type=Path)
    parser.add_argument("--report", type=Path, help="a JSON report of `ranklint verify matrix`")
    parser.add_argument("--torchrun", type=Path, help="a JSON report of `ranklint verify matrix --launcher torchrun`")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", type=Path, default=PAGE, metavar="FILE")
    args = parser.parse_args()
    plan = listed("ranklint.matrix", "--list", "--json")
    known = printed(args.ranklint.resolve(), "rules", "--output-format", "json")["rules"]
    crosswalk = crosswalk_page(plan, known)
    kept = args.write.read_text(encoding="utf-8") if args.write.is_file() else ""
    dynamic = kept.partition(DYNAMIC[0])[2].partition(DYNAMIC[1])[0]
    if args.report:
        dynamic = dynamic_part(json.loads(args.report.read_text(encoding="utf-8"))) + launched(dynamic)
    if args.torchrun:
        dynamic = dynamic[: len(dynamic) - len(launched(dynamic))]
        dynamic += launched_part(json.loads(args.torchrun.read_text(encoding="utf-8")))
    static = static_part(args.ranklint.resolve(), plan, dynamic)
    fresh = INTRODUCTION + DYNAMIC[0] + dynamic + DYNAMIC[1] + "\n" + static
    if not args.check:
        args.write.write_text(fresh, encoding="utf-8")
        CROSSWALK.write_text(crosswalk, encoding="utf-8")
        return
    if not CROSSWALK.is_file() or CROSSWALK.read_text(encoding="utf-8") != crosswalk:
        sys.exit(f"{CROSSWALK} is stale: run benches/matrix_table.py")
    if fresh != kept:
        kept_lines, fresh_lines = kept.splitlines(), fresh.splitlines()
        for number, line in enumerate(fresh_lines, 1):
            if number > len(kept_lines) or kept_lines[number - 1] != line:
                sys.exit(f"{args.write}:{number}: stale, should be:\n{line}\nrun benches/matrix_table.py")
        sys.exit(f"{args.write} is stale: run benches/matrix_table.py")
    missing = [arm["mutant"] for row in plan["rows"] for arm in row["arms"] if arm["mutant"] not in dynamic]
    missing += [row["harness"] for row in plan["rows"] if row["harness"] not in dynamic]
    if missing:
        sys.exit(f"{args.write}: no run of {', '.join(sorted(set(missing)))}")


def listed(module: str, *arguments: str) -> Any:
    """What a module of the package prints as JSON."""
    return json.loads(python(module, *arguments))


def python(module: str, *arguments: str) -> str:
    """What a module of the package prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def tabulate(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    cells = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |\n" for line in cells)


def dynamic_part(report: dict[str, Any]) -> str:
    """Rows by arms, and mutants by how their rows told them."""
    rows, mutants = [], []
    for row in report["rows"]:
        cells = []
        for kind in KINDS:
            arms = [arm for arm in row["arms"] if arm["kind"] == kind and "@" not in arm["name"]]
            variants = [(arm["name"].partition("-")[2], ended(arm)) for arm in arms]
            cells.append("<br>".join(f"{ends} {variant}".strip() for variant, ends in variants))
        rows.append([row["id"], f"{row['title']} (`{row['harness']}`)", str(row["tranche"]), *cells])
        for arm in row["arms"]:
            if arm["kind"] == "mutant" and "@" not in arm["name"]:
                told = "; ".join(words(miss) for miss in arm["missed"])
                mutants.append([f"`{arm['mutant']}`", f"{row['id']} {arm['name']}", arm["look"], ended(arm), told])
    skipped = sorted({arm["why"] for row in report["rows"] for arm in row["arms"] if arm["outcome"] == "skipped"})
    counts, seconds = report["counts"], report["wall_us"] / 1e6
    summary = (
        f"{counts['passed']} arms as they must be, {counts['failed']} not, {counts['skipped']} skipped"
        f"{' (' + '; '.join(skipped) + ')' if skipped else ''}, {counts['survivors']} processes left; "
        f"{seconds:.0f} s under the {report['launcher']} launcher, torch {report['torch']}.\n"
    )
    return (
        "## Rows by arms\n\nExit codes of the ranks; `-` for one that holds still, or hangs, until it is ended. "
        f"{summary}\n"
        + tabulate(["row", "failure", "tranche", *KINDS], rows)
        + "\n## Rows by mutants\n\nHow each fault ends without its guard, and what gives that away.\n\n"
        + tabulate(["mutant", "told by", "its end", "exit codes", "what gives it away"], mutants)
    )


LAUNCHED = "\n## Under torchrun\n"


def launched(dynamic: str) -> str:
    """The part of the page about a run under torchrun."""
    _, head, rest = dynamic.partition(LAUNCHED)
    return head + rest


def launched_part(report: dict[str, Any]) -> str:
    """What a run under torchrun has given: counts, and every arm that did not end as it must."""
    arms = [(row["id"], arm) for row in report["rows"] for arm in row["arms"]]
    failed = [f"{id} {arm['name']}" for id, arm in arms if arm["outcome"] == "failed"]
    passed = {id for id, arm in arms if arm["outcome"] == "passed"} - {name.split()[0] for name in failed}
    counts = report["counts"]
    return (
        f"{LAUNCHED}\n`ranklint verify matrix --launcher torchrun`, torch {report['torch']}: {counts['passed']} arms "
        f"as they must be, {counts['failed']} not{' (' + ', '.join(failed) + ')' if failed else ''}, "
        f"{counts['skipped']} skipped, {counts['survivors']} processes left. Rows without an arm that failed: "
        f"{len(passed)} of {len({id for id, _ in arms})}.\n"
    )


def ended(arm: dict[str, Any]) -> str:
    """`3 0`, and what is not a pass by its name."""
    codes = " ".join("-" if end["code"] is None else str(end["code"]) for end in arm["ends"])
    return codes if arm["outcome"] == "passed" else f"**{arm['outcome']}** {codes}".strip()


def words(miss: dict[str, Any]) -> str:
    """One expectation that was not met; figures that change from run to run are left out."""
    what = re.sub(
        r"(?:does not say|says) /(.*)/$", lambda found: found[0].split("/")[0] + f"`{found[1]}`", miss["what"]
    )
    return what if miss["rank"] is None else f"rank {miss['rank']} {what}"


def verdicts(dynamic: str) -> dict[str, str]:
    """How the runs of each mutant have ended, from the table of mutants: `refused 3 -6`."""
    ends: dict[str, list[str]] = {}
    for mutant, end, codes in re.findall(r"^\| `([a-z-]+)` \| [^|]* \| ([^|]*) \| ([^|]*) \|", dynamic, re.MULTILINE):
        ends.setdefault(mutant, []).append(f"{end} ({codes})")
    return {mutant: ", ".join(dict.fromkeys(several)) for mutant, several in ends.items()}


def static_part(ranklint: Path, plan: dict[str, Any], dynamic: str) -> str:
    """What the linter says to the source of each mutant that it does not say to the source of the good runtime."""
    told = verdicts(dynamic)
    rules: dict[str, list[str]] = {}
    rows: dict[str, list[str]] = {}
    for row in plan["rows"]:
        for arm in row["arms"]:
            if arm["kind"] == "mutant":
                rules.setdefault(arm["mutant"], []).extend(row["rules"])
                rows.setdefault(arm["mutant"], []).append(row["id"])
    known = {rule["name"] for rule in printed(ranklint, "rules", "--output-format", "json")["rules"]}
    clean = lint(ranklint, ROOT / "python" / "ranklint" / "reference")
    lines, flagged_rows = [], set()
    with tempfile.TemporaryDirectory() as folder:
        for mutant, matching in rules.items():
            python("ranklint.matrix.mutants", mutant, "--write", str(Path(folder) / mutant))
            found = {rule: at for rule, at in lint(ranklint, Path(folder) / mutant / "reference").items()}
            new = {rule: at for rule, at in found.items() if at > clean.get(rule, 0)}
            hits = [rule for rule in dict.fromkeys(matching) if rule in new]
            others = [rule for rule in new if rule not in matching]
            if hits:
                flagged_rows.update(rows[mutant])
            wanted = [f"`{rule}`" + ("" if rule in known else " (not written)") for rule in dict.fromkeys(matching)]
            said = ", ".join(f"`{rule}`" for rule in hits) or "nothing"
            beside = ", ".join(f"`{rule}`" for rule in sorted(others)) or "nothing"
            lines.append(
                [
                    f"`{mutant}`",
                    ", ".join(dict.fromkeys(rows[mutant])),
                    ", ".join(wanted),
                    said,
                    beside,
                    told.get(mutant, "no run"),
                ]
            )
    ids = list(dict.fromkeys(row["id"] for row in plan["rows"]))
    lost = [id for id in ids if (id in flagged_rows) == (id in UNSEEN)]
    if lost:
        sys.exit(f"a rule for the source of {', '.join(lost)} was lost or won: see UNSEEN")
    quiet = "lints clean" if not clean else "draws " + ", ".join(f"`{rule}`" for rule in sorted(clean))
    return (
        "## Static and dynamic\n\nThe source of each mutant, linted with every rule on (`ranklint check --isolated "
        f"--select all`). The good runtime {quiet}. A matching rule flags a mutant of {len(flagged_rows)} of the "
        f"{len(ids)} rows.\n\n"
        + tabulate(
            ["mutant", "rows", "rules that match", "of those, flag it", "others flag it", "run without the guard"],
            lines,
        )
    )


def crosswalk_page(plan: dict[str, Any], known: Sequence[dict[str, Any]]) -> str:
    """Surfaces to rules to rows: what the rows say of their surface, and what rows and rules say of each other."""
    named = {rule["name"]: rule for rule in known}
    for row in plan["rows"]:
        for name in row["rules"]:
            if name in named and row["id"] not in named[name]["rows"]:
                sys.exit(f"row {row['id']} names the rule {name}, which does not name the row")
    surfaces: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in plan["rows"]:
        surfaces.setdefault(row["surface"], {}).setdefault(row["id"], []).append(row)
    text = (
        "# Crosswalk: surfaces, rules, rows\n\nThe operator surfaces of the matrix, the rows that break them, and the "
        "rules that see the broken source. Written by `benches/matrix_table.py` from what rows and rules declare; "
        "`ranklint explain GROUP` prints the manual of a group.\n"
    )
    for surface, rows in surfaces.items():
        rules = dict.fromkeys(
            name
            for name, rule in named.items()
            if any(id in rule["rows"] or any(name in one["rules"] for one in rows[id]) for id in rows)
        )
        text += f"\n## {surface[0].upper()}{surface[1:]}\n\n"
        lines = []
        for id, harnesses in rows.items():
            mutants = dict.fromkeys(arm["mutant"] for row in harnesses for arm in row["arms"] if arm["mutant"])
            told = ", ".join(f"`{row['harness']}`" for row in harnesses)
            lines.append([id, harnesses[0]["title"], told, ", ".join(f"`{mutant}`" for mutant in mutants)])
        text += tabulate(["row", "failure", "harness", "mutants"], lines) + "\n"
        lines = []
        for name in rules:
            rule = named[name]
            own = [id for id in rows if id in rule["rows"] or any(name in one["rules"] for one in rows[id])]
            page = f"[`{name}`](../rules/{rule['group']}/{name}.md)"
            lines.append([rule["group"], page, rule["summary"], ", ".join(own)])
        text += tabulate(["group", "rule", "reports", "rows"], lines)
    return text


def lint(ranklint: Path, folder: Path) -> dict[str, int]:
    """How many findings each rule has in a folder."""
    command = ["check", "--isolated", "--no-cache", "--select", "all", "--exit-zero", "--output-format", "json", "."]
    found: dict[str, int] = {}
    for finding in printed(ranklint, *command, cwd=folder)["findings"]:
        found[finding["rule"]] = found.get(finding["rule"], 0) + 1
    return found


def printed(ranklint: Path, *arguments: str, cwd: Path = ROOT) -> Any:
    """What `ranklint` prints as JSON."""
    done = subprocess.run([str(ranklint), *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"ranklint {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
