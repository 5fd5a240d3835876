"""Stacks on request: the supervisor sends a signal, and every thread's Python stack goes to ``<log>.stacks``."""

from __future__ import annotations

import _signal as signal  # without the enumerations, which would cost the start of every process
import os
import sys

from . import log

_path = ""
_fd = log.CLOSED
_KILL_ME_WHEN_MY_PARENT_DIES = 1


def signal_number() -> int | None:
    """The signal that asks for stacks: SIGRTMIN+11 on Linux, SIGUSR2 elsewhere, none where there is neither."""
    if sys.platform == "linux":
        return int(signal.SIGRTMIN) + 11
    return int(signal.SIGUSR2) if hasattr(signal, "SIGUSR2") else None


def listen() -> None:
    """Opens the file and registers the handler, which works while the interpreter is stuck in C."""
    global _path, _fd
    number = signal_number()
    if number is None or log.LOG.fd < 0:
        return
    import faulthandler

    _path, _fd = log.create(log.LOG.folder or "", ".stacks")
    if _fd >= 0:
        faulthandler.register(number, file=_fd, all_threads=True, chain=False)


def forked() -> None:
    """Lets go of the parent's file. A fork listens itself once it has something to log."""
    global _path, _fd
    if _fd >= 0:
        import faulthandler

        number = signal_number()
        if number is not None:
            faulthandler.unregister(number)
            signal.signal(number, signal.SIG_IGN)
        try:
            os.close(_fd)
        except OSError:
            log.LOG.lost = True
    _path, _fd = "", log.CLOSED


def tidy() -> None:
    """Removes the file where nobody has asked."""
    if _path:
        try:
            if os.path.getsize(_path) == 0:  # noqa: PTH202
                os.unlink(_path)  # noqa: PTH108
        except OSError:
            return


def die_with_the_supervisor() -> None:
    """Asks Linux to kill this process when the supervisor dies, if it is the parent."""
    supervisor = log.number("RANKLINT_SUPERVISOR")
    if sys.platform != "linux" or supervisor is None or supervisor != os.getppid():
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_KILL_ME_WHEN_MY_PARENT_DIES, int(signal.SIGKILL), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return
    if os.getppid() != supervisor:  # it died in the meantime
        os.kill(os.getpid(), signal.SIGKILL)
