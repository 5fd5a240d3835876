import contextlib
import logging
import time

import torch

log = logging.getLogger(__name__)


class StepGuard:
    """Lets a few bad batches pass: the exception is logged and counted, the loop goes on."""

    RECOVERABLE = (torch.cuda.OutOfMemoryError, ValueError, IndexError, FloatingPointError)

    def __init__(self, limit=20):
        self.limit, self.count, self.last_ok = limit, 0, True

    def __enter__(self):
        self.last_ok = True
        return self

    def __exit__(self, exc_type, exc, tb):
        if exc_type is None:
            return False
        if issubclass(exc_type, self.RECOVERABLE) and self.count < self.limit:
            self.count += 1
            self.last_ok = False
            log.warning("step failed (%d/%d): %s: %s", self.count, self.limit, exc_type.__name__, exc)
            if issubclass(exc_type, torch.cuda.OutOfMemoryError):
                torch.cuda.empty_cache()
            return True  # BUG 1
        return False


class Timer:
    def __init__(self, table, name):
        self.table, self.name = table, name

    def __enter__(self):
        self.t0 = time.perf_counter()

    def __exit__(self, *exc):
        self.table[self.name] = self.table.get(self.name, 0.0) + time.perf_counter() - self.t0
        return False


@contextlib.contextmanager
def best_effort(what):
    try:
        yield
    except OSError as e:
        log.warning("%s: %s", what, e)
