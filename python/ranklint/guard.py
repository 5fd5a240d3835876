"""Ends what ranklint has started when ranklint itself was killed.

Called as ``guard.py TAG``, with a pipe from ranklint as its input. Everything ranklint starts has ``RANKLINT_RUN=TAG``
in its environment. When the pipe ends without a word, ranklint had no chance to clear up, and every process with that
tag is killed, until none is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

# How long new processes are looked for, in seconds.
PATIENCE = 10.0


def main(tag: str) -> None:
    """Waits for the end of the input, then kills what bears the tag."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.read(0, 1):
        return
    wanted = f"RANKLINT_RUN={tag}".encode()
    end = time.monotonic() + PATIENCE
    empty = 0
    while empty < 2 and time.monotonic() < end:
        empty = 0 if _kill(wanted) else empty + 1
        time.sleep(0.01)


def _kill(wanted: bytes) -> bool:
    """Kills the processes with the tag; whether there were any."""
    found = False
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _bears(name, wanted):
            found = True
            with contextlib.suppress(OSError):
                os.kill(int(name), signal.SIGKILL)
    return found


def _bears(name: str, wanted: bytes) -> bool:
    try:
        with open(f"/proc/{name}/environ", "rb") as file:
            return wanted in file.read().split(b"\0")
    except OSError:
        return False


if __name__ == "__main__":
    main(sys.argv[1])
