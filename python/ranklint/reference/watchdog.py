"""Ends this process when nothing has been heard for too long (supplement section 8, row OM-13).

Armed only while a peer is waited for, in the middle of a message too. Armed throughout, it would kill a rank that is
busy compiling.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .journal import Journal

EXIT_CODE = 2


class Watchdog:
    """A thread that watches one wait at a time.

    `limit_s` seconds without an end, and the process leaves with code 2.
    """

    def __init__(self, what: str, limit_s: float, journal: Journal) -> None:
        self._what = what
        self._limit_s = limit_s
        self._journal = journal
        self._lock = threading.Lock()
        self._waiting_since: float | None = None
        self._last_heard = time.monotonic()
        threading.Thread(target=self._watch, name=f"watchdog-{what}", daemon=True).start()

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Around one blocking wait. Leaving it in peace counts as having heard from the peer."""
        with self._lock:
            self._waiting_since = time.monotonic()
        try:
            yield
            self._last_heard = time.monotonic()
        finally:
            with self._lock:
                self._waiting_since = None

    def _watch(self) -> None:
        while True:
            time.sleep(min(0.1, self._limit_s / 4))
            with self._lock:
                since, heard = self._waiting_since, self._last_heard
            if since is None:
                continue
            waited = time.monotonic() - since
            if waited > self._limit_s:
                self._journal(
                    "watchdog",
                    awaited=self._what,
                    last_heard_s_ago=round(time.monotonic() - heard, 3),
                    waited_s=round(waited, 3),
                    threshold_s=self._limit_s,
                )
                sys.stdout.flush()
                os._exit(EXIT_CODE)
