"""The runner itself, on a few rows: verdicts, skips, and nobody left behind. Runs under pytest and under unittest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = Path(".cache/ranklint/test-matrix")


def run(*arguments: str) -> tuple[int, dict[str, dict]]:
    """Exit code, and verdicts by `row arm`."""
    WORK.mkdir(parents=True, exist_ok=True)
    report = WORK / "report.json"
    paths = [str(ROOT / "python"), str(ROOT / "testdata" / "runtimes"), os.environ.get("PYTHONPATH", "")]
    command = [
        sys.executable,
        "-m",
        "ranklint.matrix",
        "--json",
        str(report),
        "--work",
        str(WORK / "ranks"),
        *arguments,
    ]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, capture_output=True, timeout=300, check=False
    )
    arms = json.loads(report.read_text(encoding="utf-8"))["arms"]
    return done.returncode, {f"{arm['row']} {arm['arm']}": arm for arm in arms}


class Running(unittest.TestCase):
    def test_all_arms_of_a_row(self) -> None:
        code, arms = run("--row", "OM-06", "--timeout-scale", "3")
        self.assertEqual(code, 0)
        self.assertEqual({arm["status"] for arm in arms.values()}, {"pass"})
        self.assertEqual([code for code, _ in arms["OM-06 fault"]["ends"]], [3, 3])
        self.assertEqual(arms["OM-06 mutant"]["look"], "silent")

    def test_a_runtime_that_can_do_less_is_skipped_not_passed(self) -> None:
        code, arms = run("--runtime", "store_runtime:StoreRuntime", "--row", "OM-01", "--timeout-scale", "3")
        self.assertEqual(code, 0)
        self.assertEqual(arms["OM-01 fault"]["status"], "pass")
        self.assertEqual(arms["OM-01 fault-pp"]["status"], "skip")
        self.assertIn("pp0", arms["OM-01 fault-pp"]["why"])
        self.assertEqual(arms["OM-01 mutant"]["status"], "skip")

    def test_nobody_is_left_behind(self) -> None:
        tag = f"RANKLINT_TEST_TAG={os.getpid()}"
        os.environ.update([tag.split("=")])
        try:
            run("--row", "OM-03", "--arm", "mutant-vote", "--timeout-scale", "1")
        finally:
            del os.environ["RANKLINT_TEST_TAG"]
        left = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if tag.encode() in (folder / "environ").read_bytes():
                    left.append(folder.name)
            except OSError:
                continue
        self.assertEqual([pid for pid in left if pid != str(os.getpid())], [])


if __name__ == "__main__":
    unittest.main()
