"""Whether the last save has ended is each rank's own matter, by whatever way that is asked."""
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


class Saver:
    def __init__(self, states):
        self.states = states
        self.async_future = None

    @property
    def busy(self):
        return self.async_future is not None and not self.async_future.done()

    def save(self, step):
        if not self.busy:
            self.async_future = dcp.async_save(self.states, checkpoint_id=str(step))  # error: [conditional-collective]

    def save_when_done(self, step):
        if self.async_future is not None:
            self.async_future.result()
        self.async_future = dcp.async_save(self.states, checkpoint_id=str(step))


class AskedSaver:
    def __init__(self, states):
        self.states = states
        self.async_future = None

    def is_busy(self):
        return self.async_future is not None and not self.async_future.done()

    def save_asked(self, step):
        if not self.is_busy():
            self.async_future = dcp.async_save(self.states, checkpoint_id=str(step))  # error: [conditional-collective]


def stop(future):
    if future is not None:
        future.result()
    dist.barrier()
