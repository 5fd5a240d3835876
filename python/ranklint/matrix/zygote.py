"""A parent that has imported torch once and forks ranks: an arm costs tens of milliseconds instead of seconds.

Reads JSON lines on standard input:
`{"id": N, "module": "ranklint.matrix.…", "argv": […], "env": {…}, "output": PATH, "compile": BOOL}`.
Writes JSON lines: `{"ready": true}` once, `{"id": N, "pid": P}` for each rank, `{"id": N, "code": C}` when it has
ended (negative: signal). A rank has a session of its own, writes both streams to `output`, and dies with the zygote
where the system can do that. End of input ends all ranks and the zygote.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

PR_SET_PDEATHSIG = 1
POLL_S = 0.02


def main() -> None:
    """Never returns."""
    import torch
    import torch._dynamo
    import torch.distributed._functional_collectives

    torch.set_num_threads(1)  # no threads before a fork
    gc.freeze()
    answers = os.dup(1)
    os.dup2(2, 1)
    tell(answers, {"ready": True})
    children: dict[int, int] = {}
    pending = b""
    warm = False
    while True:
        ready, _, _ = select.select([0], [], [], POLL_S if children else 1.0)
        if ready:
            chunk = os.read(0, 65536)
            if not chunk:
                break
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                order = json.loads(line)
                if order.get("compile") and not warm:
                    warm_compiler()
                    warm = True
                pid = os.fork()
                if pid == 0:
                    os.close(answers)
                    become_rank(order)
                children[pid] = order["id"]
                tell(answers, {"id": order["id"], "pid": pid})
        for pid in list(children):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                tell(answers, {"id": children.pop(pid), "code": os.waitstatus_to_exitcode(status)})
    for pid in children:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    os._exit(0)


def warm_compiler() -> None:
    """Traces a trivial function, which imports what the compiler imports on its first use: seconds, once."""
    import torch._dynamo

    torch._dynamo.explain(torch.neg)(torch.zeros(2))
    torch._dynamo.reset()


def tell(descriptor: int, answer: Mapping[str, object]) -> None:
    """One JSON line to the runner."""
    os.write(descriptor, json.dumps(answer).encode() + b"\n")


def become_rank(order: Mapping[str, object]) -> None:
    """The rest of a forked child's life. Never returns."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    output = os.open(Path(str(order["output"])), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    silent = os.open(os.devnull, os.O_RDONLY)
    os.dup2(silent, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(order["env"])
    try:
        from .program import main as run_row

        module = importlib.import_module(order["module"])
        run_row(module.ROW, module.harness, order["argv"])
    except SystemExit as error:
        os._exit(error.code if isinstance(error.code, int) else 1)
    except BaseException:
        import traceback

        traceback.print_exc()
    os._exit(1)


if __name__ == "__main__":
    main()
