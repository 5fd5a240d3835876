"""A rank that behaves as it is told: ``rank.py FAULT VICTIM [OTHERS]``. The victim does FAULT, the others do OTHERS.

It writes the log that the probe would write, and every process it starts writes its number to ``$PIDS``, so that a test can
look for survivors without trusting the supervisor.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import socket
import sys
import threading
import time

RANK = int(os.environ.get("RANK", "0"))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def told() -> None:
    """Writes down that this process exists."""
    with open(os.environ["PIDS"], "a") as file:
        file.write(f"{os.getpid()}\n")


def now_us() -> int:
    return time.monotonic_ns() // 1_000


class Log:
    """The log of the probe."""

    def __init__(self) -> None:
        stem = os.path.join(os.environ["RANKLINT_PROBE_LOG"], f"r{RANK}-{os.getpid()}")
        self.path = stem + ".jsonl"
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.stacks = open(stem + ".stacks", "w")  # noqa: SIM115
        faulthandler.register(signal.SIGRTMIN + 11, self.stacks, all_threads=True, chain=False)
        start = dict(version=1, pid=os.getpid(), ppid=os.getppid(), rank=RANK, world=WORLD, host=socket.gethostname())
        start.update(argv=sys.argv, executable=sys.executable, python="3", cwd=os.getcwd(), time_us=0)
        self.write({"start": dict(start, monotonic_us=now_us())})

    def write(self, event: object) -> None:
        os.write(self.file, json.dumps(event).encode() + b"\n")

    def enter(self, call: int = 0) -> None:
        """From now on this rank waits in a call."""
        self.write([0, call, 0, 0, now_us()])

    def leave(self, call: int = 0) -> None:
        self.write([1, call, now_us()])

    def verdict(self, name: str) -> None:
        """The fake judge of the tests takes this for a verdict."""
        self.write({"lost": {"why": f"{name} {now_us()}"}})


def meet() -> None:
    """Waits for the other ranks."""
    folder = os.environ["MEETING"]
    with open(os.path.join(folder, f"ready{RANK}"), "w"):
        pass
    while not all(os.path.exists(os.path.join(folder, f"ready{rank}")) for rank in range(WORLD)):
        time.sleep(0.002)


def sleep() -> None:
    while True:
        time.sleep(60)


def ignore() -> None:
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)


def child(what, *, session: bool = False) -> None:
    """Forks a process that does ``what`` and never comes back."""
    read, write = os.pipe()
    if os.fork() == 0:
        if session:
            os.setsid()
        told()
        os.write(write, b"x")
        what()
        os._exit(0)
    os.read(read, 1)


def stubborn() -> None:
    ignore()
    sleep()


def daemon() -> None:
    """The textbook: two forks, a session of its own, no descriptors, and no environment to be known by."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ignore()
            told()
            os.write(write, b"x")
            os.closerange(0, 256)
            os.execve("/bin/sleep", ["sleep", "60"], {})
        os._exit(0)
    os.read(read, 1)


def hopper() -> None:
    """A process that forks and ends, and so does its child, and so on."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)


def fork_when_told(*_: object) -> None:
    """Starts something stubborn as soon as it is to end, and ends only then."""
    child(stubborn, session=True)
    child(stubborn)
    os._exit(0)


def fork_forever_when_told(*_: object) -> None:
    while True:
        child(stubborn)
        time.sleep(0.02)


def act(fault: str, log: Log) -> None:
    """Does what this rank is told to do."""
    if fault == "finish":
        log.enter()
        log.leave()
    elif fault == "wait":
        log.enter()
        sleep()
    elif fault == "sleep":
        sleep()
    elif fault.startswith("follow"):
        # Fails as a consequence, as a rank does whose peer has gone.
        victim = int(fault.removeprefix("follow"))
        log.enter()
        path = os.path.join(os.environ["MEETING"], f"pid{victim}")
        pid = int(open(path).read())
        while True:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    if file.read().rpartition(")")[2].split()[0] == "Z":
                        break
            except OSError:
                break
            time.sleep(0.001)
        time.sleep(0.02)
        log.write([2, 0, now_us()])
        raised = dict({"class": "ConnectionError"}, message="closed by peer", frames=[], thread="MainThread")
        log.write({"raised": raised})
        raise ConnectionError("closed by peer")
    elif fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "abort":
        os.abort()
    elif fault == "torn":
        os.write(log.file, b'[0, 1, 0, 0, 12')
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault.startswith("exit"):
        os._exit(int(fault.removeprefix("exit")))
    elif fault == "raise":
        log.write({"raised": dict({"class": "ValueError"}, message="no", frames=[], thread="MainThread")})
        raise ValueError("no")
    elif fault == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
        sleep()
    elif fault == "stop-stubborn":
        ignore()
        os.kill(os.getpid(), signal.SIGSTOP)
        sleep()
    elif fault == "stubborn":
        log.enter()
        stubborn()
    elif fault == "diverge":
        log.enter()
        log.verdict("diverged")
        sleep()
    elif fault == "diverge-stubborn":
        ignore()
        log.verdict("diverged")
        sleep()
    elif fault == "diverge-forking":
        signal.signal(signal.SIGTERM, fork_when_told)
        log.verdict("diverged")
        sleep()
    elif fault == "diverge-forking-on":
        signal.signal(signal.SIGTERM, fork_forever_when_told)
        log.verdict("diverged")
        sleep()
    elif fault == "diverge-flood":
        text = b"x" * 1_000 + b"\n"
        threading.Timer(0.05, log.verdict, ["diverged"]).start()
        while True:
            os.write(1, text * 60)
    elif fault == "panic":
        log.verdict("panic")
        sleep()
    elif fault == "child-raise":
        child(stubborn)
        raise ValueError("no")
    elif fault == "session-raise":
        child(stubborn, session=True)
        raise ValueError("no")
    elif fault == "leak-child":
        child(stubborn)
    elif fault == "leak-session":
        child(stubborn, session=True)
    elif fault == "leak-daemon":
        daemon()
    elif fault == "leak-short":
        child(lambda: time.sleep(0.05), session=True)
    elif fault == "hopper-raise":
        child(hopper)
        raise ValueError("no")
    elif fault == "hopper-session":
        child(hopper, session=True)
    elif fault.startswith("flood"):
        # Megabytes on both streams.
        text = b"y" * 79 + b"\n"
        block = text * 800
        for _ in range(int(fault.removeprefix("flood")) * 16):
            os.write(1, block)
            os.write(2, text)
    elif fault == "closed":
        os.closerange(0, 256)
        os._exit(0)
    elif fault == "closed-exit":
        os.closerange(0, 256)
        os._exit(5)
    elif fault == "closed-stubborn":
        os.closerange(0, 256)
        stubborn()
    elif fault == "delete":
        time.sleep(0.3)  # whoever reads it has it open by then
        os.unlink(log.path)
        log.enter()
        os._exit(6)
    elif fault == "garbage":
        os.write(log.file, bytes(range(256)) + b"\n{}\n[]\n")
    elif fault == "lines":
        for call in range(20_000):
            log.enter(call)
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "print":
        print(f"hello from {RANK}")
        print("no end of line", end="", file=sys.stderr)
    elif fault == "handed":
        # The pipe is in the hands of something that nobody may kill from outside but ranklint.
        child(stubborn, session=True)
        os._exit(3)
    else:
        raise SystemExit(f"unknown fault {fault}")


def main() -> None:
    fault, victim = sys.argv[1], int(sys.argv[2])
    others = sys.argv[3] if len(sys.argv) > 3 else "wait"
    told()
    with open(os.path.join(os.environ["MEETING"], f"pid{RANK}"), "w") as file:
        file.write(str(os.getpid()))
    log = Log()
    if (fault if RANK == victim else others).endswith("stubborn"):
        ignore()  # before anybody can know that this rank is there
    meet()
    if RANK == victim:
        time.sleep(float(os.environ.get("DELAY", "0")))
        act(fault, log)
    else:
        act(others, log)


if __name__ == "__main__":
    main()
