"""One JSON line per event: what a rank did, in its own words."""

from __future__ import annotations

import json
import sys
import time


class Journal:
    """Writes events of one rank to standard output.

    Every line holds `t` (seconds, monotonic clock of the machine), `rank`, `role`, `event` and what the event adds;
    messages add `action, version, call_id, chunk_index, cache_epoch, group` (spec 000; supplement section 3).
    """

    def __init__(self, rank: int, label: str = "") -> None:
        self.rank = rank
        self.role = "starting"
        self.label = label

    def __call__(self, event: str, **fields: object) -> None:
        line = {
            "t": round(time.monotonic(), 4),
            "row": self.label,
            "rank": self.rank,
            "role": self.role,
            "event": event,
        }
        sys.stdout.write(json.dumps({**line, **fields}, default=str) + "\n")
        sys.stdout.flush()
