import queue
import threading

import torch
import torch.distributed as dist


class DistributedPrefetcher:
    """Moves batches to the device in a background thread and counts what the ranks consumed."""

    def __init__(self, loader, device, depth=2):
        self.loader, self.device = loader, device
        self.q = queue.Queue(maxsize=depth)
        self.consumed = 0
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self):
        stream = torch.cuda.Stream(self.device)
        for batch in self.loader:
            if self._stop.is_set():
                return
            with torch.cuda.stream(stream):
                batch = [t.pin_memory().to(self.device, non_blocking=True) for t in batch]
            stream.synchronize()
            self.q.put(batch)
        self.q.put(None)

    def __iter__(self):
        while True:
            batch = self.q.get()
            if batch is None:
                return
            self.consumed += batch[0].shape[0]
            yield batch

    def total_consumed(self):
        t = torch.tensor([self.consumed], device=self.device)
        dist.all_reduce(t)
        return int(t.item())

    def close(self):
        self._stop.set()
        while not self.q.empty():
            self.q.get_nowait()

    def __del__(self):  # BUG 1
        self.close()
        if dist.is_initialized():
            n = self.total_consumed()  # BUG 1
            if dist.get_rank() == 0:
                print(f"prefetcher closed after {n} samples")
