"""Processes of all kinds under the probe: they do what they do without it, and their logs are whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Log, alone, environment, logs, write

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def test_a_program_without_torch_leaves_one_line(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import sys
        print(sys.argv, [entry for entry in sys.path if "probe" in entry], "ranklint" in sys.modules)
        """,
    )
    plain, ended = alone(program, probe=False), alone(program)
    assert (ended.code, ended.out, ended.err) == (plain.code, plain.out, plain.err)
    assert [kind for kind, _ in ended.log.facts] == ["start"]
    start = ended.log.one("start")
    assert (start["version"], start["argv"], start["rank"]) == (1, [str(program)], None)
    assert [path.suffix for path in (tmp_path / "log").iterdir()] == [".jsonl"]


def test_without_a_log_nothing_is_started(tmp_path: Path) -> None:
    program = write(tmp_path, "import sys; print([name for name in sys.modules if 'probe' in name])")
    for log in (None, tmp_path / "missing"):
        settings = environment(None, PYTHONPATH=environment(tmp_path)["PYTHONPATH"])
        if log:
            settings["RANKLINT_PROBE_LOG"] = str(log)
        ended = subprocess.run([sys.executable, program], env=settings, capture_output=True, text=True, check=True)
        assert (ended.stderr, ended.stdout in ("[]\n", ended.stdout if log else "")) == ("", True)


@pytest.mark.parametrize("flags", [("-O",), ("-B",), ("-X", "utf8", "-W", "ignore")])
def test_flags_of_the_interpreter(tmp_path: Path, flags: tuple[str, ...]) -> None:
    program = write(tmp_path, "assert not __debug__ or True; print(__debug__)")
    plain, ended = alone(program, probe=False, flags=flags), alone(program, flags=flags)
    assert (ended.code, ended.out, ended.err) == (plain.code, plain.out, plain.err)
    assert ended.log.one("start")["argv"] == [str(program)]


def test_the_next_sitecustomize_is_run(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    write(mine, "import sys; sys.marked = __file__", "sitecustomize.py")
    program = write(tmp_path, "import sys, sitecustomize; print(sys.marked, sitecustomize.__file__)")
    path = os.pathsep.join([environment(tmp_path / "log")["PYTHONPATH"], str(mine)])
    ended = alone(program, PYTHONPATH=path)
    expected = mine / "sitecustomize.py"
    assert (ended.out, ended.err) == (f"{expected} {expected}\n", "")
    write(mine, "raise ValueError('mine')", "sitecustomize.py")
    plain = alone(write(tmp_path, "print(1)"), probe=False, PYTHONPATH=str(mine))
    ended = alone(program, PYTHONPATH=path)
    assert (ended.code, ended.out) == (plain.code, plain.out)
    assert "ValueError: mine" in ended.err


def test_forks_and_children_have_logs_of_their_own(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import multiprocessing, os, subprocess, sys

        def child(key):
            os.environ.get(key)

        def failing():
            raise ValueError("in a child")

        if __name__ == "__main__":
            os.environ.get("SCOPE_TEST_PARENT")
            if os.fork() == 0:
                os._exit(0)
            os.wait()
            if os.fork() == 0:
                os.environ["RANK"] = "3"
                os.environ.get("SCOPE_TEST_FORK")
                os._exit(7)
            print(os.waitstatus_to_exitcode(os.wait()[1]))
            spawned = multiprocessing.get_context("spawn").Process(target=child, args=("SCOPE_TEST_SPAWN",))
            spawned.start(); spawned.join()
            for method in ("fork", "spawn"):
                failed = multiprocessing.get_context(method).Process(target=failing)
                failed.start(); failed.join()
                print(failed.exitcode)
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            sys.stdout.flush()
            os.execv(sys.executable, [sys.executable, "-c", "print('replaced')"])
        """,
    )
    plain, ended = alone(program, probe=False), alone(program)
    clean = [re.sub(r"0x[0-9a-f]+|Process-\d+", "", text) for text in (plain.err, ended.err)]
    assert (ended.code, ended.out) == (plain.code, plain.out)
    assert clean[1].count("in a child") == clean[0].count("in a child")
    keys = {log.path.name[:2]: [read["key"] for read in log.all("environment")] for log in ended.logs}
    assert keys["r3"] == ["SCOPE_TEST_FORK"]
    read = [key for log in ended.logs for key in (read["key"] for read in log.all("environment"))]
    assert sorted(read) == ["SCOPE_TEST_FORK", "SCOPE_TEST_PARENT", "SCOPE_TEST_SPAWN"]
    assert [raised["message"] for log in ended.logs for raised in log.all("raised")] == ["in a child"] * 2
    assert all(log.facts[0][0] == "start" and len(log.all("start")) == 1 for log in ended.logs)


@linux
def test_a_log_that_cannot_be_written_is_given_up(tmp_path: Path) -> None:
    for spoil in (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))",
        "import os; os.closerange(3, 4096)",
        "import shutil, os; shutil.rmtree(os.environ['RANKLINT_PROBE_LOG'])",
    ):
        program = write(
            tmp_path,
            f"""
            {spoil}
            import os
            for number in range(50):
                os.environ.get(f"SCOPE_TEST_{{number}}")
            if os.fork() == 0:
                os.environ.get("SCOPE_TEST_FORK")
                os._exit(0)
            os.wait()
            print("done")
            raise SystemExit(3)
            """,
        )
        ended = subprocess.run(
            [sys.executable, program],
            env=environment(tmp_path / "log"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (3, "done\n", ""), spoil


@linux
def test_the_supervisor_is_told_of_a_log_that_was_given_up(tmp_path: Path) -> None:
    for spoil, why in (
        # Room for a part of the next line, however long the first ones are.
        (
            "import os, resource, sys; size = os.stat(sys.modules['_ranklint_probe'].log.LOG.path).st_size + 20;"
            " resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))",
            "no space left on device",
        ),
        # No room at all.
        ("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))", "File too large"),
        ("import os; os.closerange(3, 4096)", "Bad file descriptor"),
    ):
        program = write(tmp_path, f"{spoil}\nimport os\nfor n in range(50):\n    os.environ.get(f'SCOPE_TEST_{{n}}')\n")
        folder = tmp_path / why.replace(" ", "")
        subprocess.run([sys.executable, program], env=environment(folder), cwd=tmp_path, check=True)
        (log,) = folder.glob("*.jsonl")
        assert log.with_suffix(".lost").readlink() == Path(why)


def test_texts_that_are_no_unicode_are_logged(tmp_path: Path) -> None:
    program = write(tmp_path, "raise ValueError('half \\udc80 of it, and \\U0001f600')")
    raised = alone(program).log.one("raised")
    assert raised["message"] == "half \\udc80 of it, and \U0001f600"
    # The reader of the logs takes no lone surrogates.
    assert "\\\\udc80" in alone(program).logs[0].path.read_text()


def test_threads_wait_for_the_log_of_a_fork(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        """
        import os, sys, threading, time
        log = sys.modules["_ranklint_probe"].log
        create = log.create
        def slow(*arguments):
            time.sleep(0.2)
            return create(*arguments)
        log.create = slow
        if os.fork() == 0:
            found = []
            threads = [threading.Thread(target=lambda: found.append(log.LOG.open() >= 0)) for _ in range(2)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            print(found)
        else:
            os.wait()
        """,
    )
    assert alone(program).out == "[True, True]\n"


@linux
def test_stacks_on_request(tmp_path: Path) -> None:
    program = write(
        tmp_path, "import time\ndef stuck():\n    print('here', flush=True)\n    time.sleep(600)\nstuck()\n"
    )
    process = subprocess.Popen(
        [sys.executable, program], env=environment(tmp_path / "log", RANK="2"), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        import signal

        process.send_signal(signal.SIGRTMIN + 11)
        stacks = tmp_path / "log" / f"r2-{process.pid}.stacks"
        deadline = time.monotonic() + 60
        while "in stuck" not in stacks.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "in stuck" in stacks.read_text()
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    assert [log.one("start")["rank"] for log in logs(tmp_path / "log", "r2")] == [2]


def test_environment_writes_imports_and_exceptions(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    write(inside, "value = 1", "p2_golden.py")
    program = write(
        inside,
        f"""
        import os, subprocess, sys
        os.environ["SCOPE_TEST_SET"] = "1"
        import copy
        copied = dict(os.environ); os.environ.copy(); list(os.environ.items())
        assert copy.deepcopy(os.environ) == copied
        for _ in range(3):
            os.environ["SCOPE_TEST_SET"], os.getenv("SCOPE_TEST_UNSET")
        os.environ.get("HOME")
        import p2_golden
        open("here.txt", "w").close()
        for _ in range(2):
            open({str(outside / "a.txt")!r}, "w").close()
        open({str(outside / "a.txt")!r}).close()
        os.mkdir({str(outside / "b")!r})
        os.rename({str(outside / "a.txt")!r}, {str(outside / "c.txt")!r})
        def deep():
            raise KeyError("gone")
        try:
            deep()
        except KeyError:
            pass
        deep()
        """,
    )
    plain = alone(program, probe=False)
    (outside / "b").rmdir()
    ended = alone(program)
    assert (ended.code, ended.out, ended.err) == (plain.code, plain.out, plain.err)
    log = ended.log
    assert [(read["key"], read["hash"] is None, read["after_join"]) for read in log.all("environment")] == [
        ("SCOPE_TEST_SET", False, False),
        ("SCOPE_TEST_UNSET", True, False),
    ]
    assert [module["name"] for module in log.all("import")] == ["p2_golden"]
    assert [(write["how"], Path(write["path"]).name) for write in log.all("write")] == [
        ("open", "a.txt"),
        ("os.mkdir", "b"),
        ("os.rename", "c.txt"),
    ]
    raised = log.one("raised")
    assert (raised["class"], raised["message"], raised["thread"]) == ("KeyError", "'gone'", "MainThread")
    assert [frame["function"] for frame in raised["frames"]] == ["deep", "<module>"]
    assert log.facts[-1][0] == "end"


def test_what_torch_writes(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    program = write(
        inside,
        f"""
        import torch, torch.distributed as dist
        torch.save([], {str(tmp_path / "saved.pt")!r})
        torch.save([], "here.pt")
        dist.FileStore({str(tmp_path / "store")!r}, 1)
        torch.from_file({str(tmp_path / "mapped")!r}, shared=True, size=4)
        """,
    )
    ended = alone(program)
    assert ended.code == 0, ended.err
    written = {(write["how"], Path(write["path"]).name) for write in ended.log.all("write")}
    assert {
        ("torch.save", "saved.pt"),
        ("torch.distributed.FileStore", "store"),
        ("torch.from_file", "mapped"),
    } <= written
    assert all(Path(write["path"]).name != "here.pt" for write in ended.log.all("write"))
    assert isinstance(ended.log, Log)
