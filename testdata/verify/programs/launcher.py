"""Starts ranks as torchrun does, each in a session of its own: ``launcher.py RANKS HOW PROGRAM ARGUMENTS``.

HOW: ``wait`` waits for them and ends as the first bad one does; ``killed`` is killed once all run; ``leaves`` ends well while
they run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time


def main() -> None:
    ranks, how, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with open(os.environ["PIDS"], "a") as file:
        file.write(f"{os.getpid()}\n")
    children = []
    for rank in range(ranks):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks))
        children.append(subprocess.Popen([sys.executable, "-S", *words], env=environment, start_new_session=True))
    meeting = os.environ["MEETING"]
    if how != "wait":
        while not all(os.path.exists(os.path.join(meeting, f"ready{rank}")) for rank in range(ranks)):
            time.sleep(0.002)
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return
    while children:
        for child in children:
            code = child.poll()
            if code is not None:
                children.remove(child)
                if code != 0:
                    raise SystemExit(1)
                break
        time.sleep(0.1)


if __name__ == "__main__":
    main()
