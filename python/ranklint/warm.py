"""A process that imports torch once and then forks ranks on request.

Requests come as JSON lines on standard input, one a job; answers go to standard output, one a request:

    {"kind": "file" | "module" | "code", "arguments": [...], "cwd": "...", "without": [...], "probe": true,
     "ranks": [{"environment": [["RANK", "0"], ...], "out": "a named pipe", "err": "a named pipe"}, ...]}
    {"ready": {}}    {"forked": {"pids": [...]}}    {"failed": {"why": "..."}}

Ranks are forked by a fork that ends at once: they are orphans, and come to the process that adopts orphans, which is
ranklint. They are waited for there. When standard input ends, ranklint is gone, and ranks that are left are killed.

What a rank inherits from here makes it quick, and makes it differ from one that was started afresh: the seed of
``hash()`` is the same on all ranks, so that sets of texts have the same order everywhere.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys
import threading
import types
import weakref
from typing import Any, Callable, NoReturn

# The files whose frames lead to a program and are none of its own.
_OURS = (__file__, "<frozen runpy>", runpy.__file__)


def main(modules: list[str]) -> None:
    """Imports ``modules``, then answers until the input ends."""
    # Answers go to a copy, so that nothing that modules print can get between them.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "r")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    # The folder of this file is no place to import from; the one that holds the package is.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        for name in modules:
            importlib.import_module(name)
    except BaseException as error:  # whatever it is, somebody waits for an answer
        _answer(answers, {"failed": {"why": f"import {name}: {type(error).__name__}: {error}"}})
        return
    _prepare()
    _answer(answers, {"ready": {}})
    forked: list[tuple[int, str]] = []
    for line in iter(requests.readline, ""):
        job = json.loads(line)
        try:
            pids, rank = _fork(job)
        except OSError as error:
            _answer(answers, {"failed": {"why": f"cannot fork: {error}"}})
            continue
        if rank is not None:
            requests.close()
            answers.close()
            _run(job, job["ranks"][rank])
        forked = [entry for entry in forked if _started(entry[0]) == entry[1]]
        forked += [(pid, _started(pid)) for pid in pids]
        _answer(answers, {"forked": {"pids": pids}})
    for pid, started in forked:
        if started and _started(pid) == started:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    # Taking torch apart serves nobody, and some of its parts complain while it is done.
    os._exit(0)


def _prepare() -> None:
    """Does once what every rank would do: what is left to a rank costs its time, and pages that it has to copy."""
    if "torch" in sys.modules:
        import ranklint.probe

        for module in pkgutil.iter_modules(ranklint.probe.__path__):
            if not module.ispkg and module.name != "site":
                importlib.import_module(f"ranklint.probe.{module.name}")
    # What modules clean up when the interpreter ends is theirs here, and not that of every fork.
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        finalizer.atexit = False
    gc.collect()
    gc.freeze()


def _answer(answers: Any, answer: dict[str, Any]) -> None:
    try:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    except OSError:
        pass  # nobody listens; the input ends next


def _fork(job: dict[str, Any]) -> tuple[list[int], int | None]:
    """Forks the ranks of a job: their process numbers here, and the rank in each of them."""
    # Opened here, so that the named pipes can be removed once the answer is there.
    pipes = [(os.open(rank["out"], os.O_WRONLY), os.open(rank["err"], os.O_WRONLY)) for rank in job["ranks"]]
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    between = os.fork()
    if between == 0:
        os.close(read)
        for rank, (out, err) in enumerate(pipes):
            try:
                pid = os.fork()
            except OSError:
                os._exit(1)
            if pid == 0:
                os.setsid()
                os.dup2(out, 1)
                os.dup2(err, 2)
                os.close(write)
                for pair in pipes:
                    for pipe in pair:
                        os.close(pipe)
                return [], rank
            os.write(write, b"%d\n" % pid)
        os._exit(0)
    os.close(write)
    for pair in pipes:
        for pipe in pair:
            os.close(pipe)
    with os.fdopen(read) as numbers:
        pids = [int(line) for line in numbers]
    os.waitpid(between, 0)
    if len(pids) != len(pipes):
        raise OSError(f"{len(pids)} of {len(pipes)} ranks were forked")
    return pids, None


def _started(pid: int) -> str:
    """When a process was started, to tell it from a later one with its number; empty when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _run(job: dict[str, Any], rank: dict[str, Any]) -> NoReturn:
    """Runs the program as ``__main__``, as if the interpreter had been started with it, and ends the process."""
    for name in job["without"]:
        os.environ.pop(name, None)
    os.environ.update(rank["environment"])
    os.chdir(job["cwd"])
    _set_threads()
    sys.path[1:1] = [entry for entry in _paths(rank) if entry not in sys.path]
    if job["probe"]:
        _install_probe()
    os._exit(_end(job))


def _end(job: dict[str, Any]) -> int:
    """Runs the program and everything that follows its end, up to where the interpreter would tear itself down.

    That would touch every page that is shared with the parent, and costs more than all the rest. So what happens after
    the last ``atexit`` function, such as destructors of globals, happens in ranks that are started afresh only.
    """
    code = _outcome(lambda: _execute(job["kind"], job["arguments"]))
    _outcome(threading._shutdown)  # type: ignore[attr-defined]
    _outcome(atexit._run_exitfuncs)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            code = code or 120
    return code


def _outcome(action: Callable[[], object]) -> int:
    """Does something, and tells the exit code that comes of it."""
    try:
        action()
    except SystemExit as exit:
        if exit.code is None or isinstance(exit.code, int):
            return (exit.code or 0) & 0xFF
        print(exit.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # The frames of this file are none of the program's.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OURS:
            trace = trace.tb_next
        error = error.with_traceback(trace)
        # Audit hooks hear of it first, as from the interpreter: the probe is one.
        sys.audit("sys.excepthook", sys.excepthook, type(error), error, trace)
        sys.excepthook(type(error), error, trace)
        # As the interpreter does: an interrupt that nobody catches ends the process by its signal.
        if isinstance(error, KeyboardInterrupt):
            sys.stderr.flush()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    return 0


def _set_threads() -> None:
    """What OpenMP reads when it is loaded has to be told again."""
    torch = sys.modules.get("torch")
    threads = os.environ.get("OMP_NUM_THREADS", "")
    if torch is not None and threads.isdigit() and int(threads) > 0:
        torch.set_num_threads(int(threads))


def _paths(rank: dict[str, Any]) -> list[str]:
    """The entries of PYTHONPATH that the job adds, the folder of the probe's ``sitecustomize`` left out."""
    added = dict(rank["environment"]).get("PYTHONPATH", "")
    entries = [entry for entry in added.split(os.pathsep) if entry]
    return [entry for entry in entries if not entry.endswith(os.path.join("ranklint", "probe", "site"))]


def _install_probe() -> None:
    from ranklint.probe import start

    start()


def _execute(kind: str, arguments: list[str]) -> None:
    sys.path.append(sys.path[0])  # the package comes last, where it hides nothing
    sys.path[0] = ""
    if kind == "module":
        sys.argv = list(arguments)
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        return
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    if kind == "code":
        sys.argv = ["-c", *arguments[1:]]
        exec(compile(arguments[0], "<string>", "exec"), module.__dict__)
        return
    path = arguments[0]
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    module.__dict__.update(__file__=os.path.abspath(path), __cached__=None)
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, os.path.abspath(path), "exec"), module.__dict__)


if __name__ == "__main__":
    main(sys.argv[1:])
