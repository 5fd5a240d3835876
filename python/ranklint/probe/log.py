"""The log of this process: one file of JSON lines, as ``src/verify/event.rs`` reads them.

Lines are written whole with one ``os.write`` each, so they survive the death of the process. A log that cannot be
written to (no space, file closed by the program) is given up without a word to the program. It knows no torch.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

VERSION = 1
CLOSED = -1
"""``Log.fd`` before the first line is written and after the log was given up."""


def now() -> int:
    """Microseconds of the monotonic clock."""
    return time.monotonic_ns() // 1000


class Log:
    """The one log of the process; a fork starts another one, at its first line."""

    __slots__ = ("begun", "fd", "folder", "lines", "lock", "lost", "opened", "path", "standing")

    def __init__(self) -> None:
        self.folder: str | None = None
        self.path = ""
        self.fd = CLOSED
        self.begun = False
        self.lost = False
        self.lines = 0
        self.lock = RLock()
        self.standing: list[tuple[str, dict[str, Any]]] = []
        self.opened: Callable[[], None] = lambda: None

    def begin(self, folder: str) -> None:
        """Starts the log of this process in ``folder``."""
        self.folder = folder
        self.open()

    def open(self) -> int:
        """Opens the file and writes the start line, once; the descriptor, or CLOSED."""
        if self.fd >= 0 or self.lost or self.folder is None:
            return self.fd
        # Threads that come while another one begins wait for it: a call without a line puts the rank out of step.
        with self.lock:
            if self.begun:
                return self.fd
            self.begun = True
            self.path, self.fd = create(self.folder, ".jsonl")
            self.fact("start", _start())
            for kind, content in self.standing:
                self.fact(kind, content)
            self.opened()
        return self.fd

    def forked(self) -> None:
        """Forgets the file of the parent: it is the parent's. The descriptor is closed, and nothing else happens."""
        self.lock = RLock()
        if self.fd >= 0:
            try:
                os.close(self.fd)
            except OSError:
                self.lost = True
        self.fd, self.begun, self.path, self.lines = CLOSED, False, "", 0

    def fact(self, kind: str, content: dict[str, Any]) -> None:
        """Writes ``{kind: content}``."""
        if self.fd >= 0 or self.open() >= 0:
            try:
                self.write(f"{{{dumps(kind)}:{dumps(content)}}}\n".encode())
            except UnicodeError:
                return

    def stand(self, kind: str, content: dict[str, Any]) -> None:
        """Writes a fact that holds for forks, too; it does not start the log of one."""
        if self.begun:
            self.fact(kind, content)
        self.standing.append((kind, content))

    def write(self, line: bytes) -> None:
        """Writes one line, or gives the log up."""
        fd = self.fd
        if fd < 0:
            return
        try:
            if os.write(fd, line) != len(line):
                self.give_up("no space left on device", b"\n")
            self.lines += 1
        except OSError as error:
            self.give_up(error.strerror or "the log cannot be written", b"")

    def give_up(self, why: str, before: bytes = b"") -> None:
        """Logs no more, and says so: by a last line, or by a link ``<log>.lost``, which has room on a full disk."""
        fd, self.fd, self.lost = self.fd, CLOSED, True
        line = before + f'{{"lost":{{"why":{dumps(why)}}}}}\n'.encode()
        try:
            if os.write(fd, line) == len(line):
                return
        except OSError:
            pass
        try:
            os.symlink(why, self.path.rpartition(".")[0] + ".lost")  # noqa: PTH211
        except OSError:
            return


def create(folder: str, suffix: str) -> tuple[str, int]:
    """A new file ``r<RANK>-<pid><suffix>`` for appending: path and descriptor, CLOSED where it cannot be made.

    A process that was replaced by ``exec`` keeps its number and gets a second file, ``r0-71.2.jsonl``. The descriptor
    is a high one: when the program closes what it did not open, its next files must not get our lines.
    """
    rank = number("RANK")
    stem = os.path.join(folder, f"r{'x' if rank is None else rank}-{os.getpid()}")  # noqa: PTH118
    for attempt in range(1, 100):
        path = f"{stem}{suffix}" if attempt == 1 else f"{stem}.{attempt}{suffix}"
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            continue
        except OSError:
            break
        return path, _high(fd)
    return "", CLOSED


def _high(fd: int) -> int:
    try:
        import fcntl
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        floor = (1024 if limit < 0 or limit > 1024 else limit) - 32
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, max(floor, 3))
    except (ImportError, OSError, ValueError):
        return fd
    os.close(fd)
    return high


def number(key: str) -> int | None:
    """A number of the environment, where it is one."""
    value = os.environ.get(key, "")
    return int(value) if value.isdigit() else None


def _start() -> dict[str, Any]:
    uname = getattr(os, "uname", None)
    arguments = getattr(sys, "orig_argv", None) or getattr(sys, "argv", None) or []
    try:
        folder = os.getcwd()  # noqa: PTH109
    except OSError:
        folder = ""
    return {
        "version": VERSION,
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "rank": number("RANK"),
        "world": number("WORLD_SIZE"),
        "host": uname().nodename if uname else os.environ.get("COMPUTERNAME", ""),
        "argv": _program(list(arguments)),
        "executable": sys.executable or "",
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "cwd": folder,
        "time_us": time.time_ns() // 1000,
        "monotonic_us": now(),
    }


def _program(arguments: list[str]) -> list[str]:
    """The arguments from the program on: ``sys.argv`` is not there yet when the first line is written."""
    takes_value = ("-W", "-X", "--check-hash-based-pycs")
    rest = iter(range(1, len(arguments)))
    for at in rest:
        argument = arguments[at]
        if argument in takes_value:
            next(rest, None)
        elif argument in ("-c", "-m") or not argument.startswith("-") or argument == "-":
            return arguments[at:]
    return arguments[:1]


_ESCAPES: Callable[[str], str]
try:
    from _json import encode_basestring_ascii as _ESCAPES
except ImportError:  # not CPython

    def _ESCAPES(text: str) -> str:
        import json

        return json.dumps(text)


def _text(text: str) -> str:
    """A text in JSON. Halves of characters, as in names of files that are not UTF-8, are spelled out: JSON has none."""
    return _ESCAPES(text if text.isascii() else text.encode("utf-8", "backslashreplace").decode())


def dumps(value: Any) -> str:
    """JSON of plain data. ``json`` itself would cost a process that logs one line several milliseconds."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(str(key))}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(dumps(item) for item in value) + "]"
    return str(int(value))


LOG = Log()
