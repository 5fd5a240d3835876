import signal
import time

import torch
import torch.distributed as dist


class PreemptionHandler:
    """Remembers SIGTERM/SIGUSR1 of the scheduler."""

    def __init__(self, signals=(signal.SIGTERM, signal.SIGUSR1)):
        self._flag = False
        self._since = None
        self._old = {}
        for s in signals:
            self._old[s] = signal.signal(s, self._on_signal)

    def _on_signal(self, signum, frame):
        if not self._flag:
            self._since = time.monotonic()
        self._flag = True

    @property
    def requested(self):
        return self._flag

    def grace_left(self, total=120.0):
        return total if self._since is None else total - (time.monotonic() - self._since)

    def restore(self):
        for s, h in self._old.items():
            signal.signal(s, h)


def any_rank(flag, device):
    t = torch.tensor([1 if flag else 0], device=device, dtype=torch.int32)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return bool(t.item())
