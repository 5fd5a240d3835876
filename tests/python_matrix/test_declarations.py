"""What the matrix declares: rows, arms, mutants. Needs no torch. Runs under pytest and under unittest."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from ranklint.matrix import mutants
from ranklint.matrix.catalog import load_rows
from ranklint.matrix.row import Ended, Expectation, misses

BESIDE = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent.parent / "python")}

IDS = [*(f"OM-{n:02}" for n in range(1, 14)), "C-01", "C-02", "C-03", "C-04", "O-01", "O-02", "O-03"]


class Declarations(unittest.TestCase):
    def test_all_twenty_rows_have_three_arms(self) -> None:
        rows = load_rows()
        self.assertEqual(sorted({row.id for row in rows}), sorted(IDS))
        for row in rows:
            self.assertTrue({"clean", "fault", "mutant"} <= {arm.kind for arm in row.arms}, row.harness)

    def test_a_runner_can_read_them(self) -> None:
        command = [sys.executable, "-m", "ranklint.matrix", "--list", "--json"]
        declared = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=60, env=BESIDE).stdout)
        first = declared["rows"][0]["arms"][0]["processes"][0]
        self.assertEqual(first["argv"][1:3], ["-m", "ranklint.matrix.om_tp_preflight_meta"])
        self.assertEqual(first["env"]["SCOPE_DIST_BACKEND"], "gloo")

    def test_declarations_import_no_torch(self) -> None:
        program = "import sys, ranklint.matrix.catalog as c; c.load_rows(); sys.exit('torch' in sys.modules)"
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=BESIDE)

    def test_patterns_are_patterns(self) -> None:
        for row in load_rows():
            for arm in row.every_arm():
                for expected in arm.ranks:
                    re.compile(expected.text)
                    re.compile(expected.absent)


class Mutants(unittest.TestCase):
    def test_every_mutant_applies_and_has_a_row(self) -> None:
        used = {arm.mutant for row in load_rows() for arm in row.arms if arm.mutant}
        self.assertEqual(used, set(mutants.names()))
        for name in used:
            for file, source in mutants.sources(name).items():
                compile(source, file, "exec")
            self.assertTrue(mutants.explain(name).endswith("."), name)

    def test_a_hunk_must_fit_once(self) -> None:
        patch = "--- a/x.py\n+++ b/x.py\n@@\n-one\n+two\n"
        self.assertEqual(mutants.apply(patch, "x.py", "one\n"), "two\n")
        self.assertEqual(mutants.apply(patch, "y.py", "one\n"), "one\n")
        for source in ("one\none\n", "none of it\n".replace("one", "on")):
            with self.assertRaises(mutants.PatchError):
                mutants.apply(patch, "x.py", source)

    def test_written_source_is_a_package(self) -> None:
        folder = Path(".cache/ranklint/test-mutants")
        package = mutants.write("no-vote", folder)
        self.assertIn("raise refusal", (package / "engine.py").read_text(encoding="utf-8"))


class Judging(unittest.TestCase):
    def test_every_way_to_miss(self) -> None:
        expected = Expectation(3, "because", "sent", within=5)
        self.assertEqual(misses(expected, Ended(3, 1.0, "because of it")), [])
        self.assertEqual(
            misses(expected, Ended(None, 6.0, "because, sent")), ["did not end", "6.0 s, more than 5", "says /sent/"]
        )
        self.assertEqual(misses(expected, Ended(0, 1.0, "")), ["exit 0, not 3", "does not say /because/"])
        self.assertEqual(misses(Expectation("stopped"), Ended(None, 60.0, "")), [])
        self.assertEqual(misses(Expectation("stopped"), Ended(0, 1.0, "")), ["exit 0, should have held still"])


if __name__ == "__main__":
    unittest.main()
