"""A property is read by its own method, whatever assigns to it."""

import torch.distributed as dist


class Trainer:
    def __init__(self):
        self._stop = False

    @property
    def stop(self):
        return self._stop

    @stop.setter
    def stop(self, value):
        self._stop = value

    @property
    def leads(self):
        return dist.get_rank() == 0

    @leads.setter
    def leads(self, value):
        print(value)

    def run(self, batches):
        for batch in batches:
            dist.all_reduce(batch)  # error: [divergent-early-exit]
            if dist.get_rank() == 0:
                self.stop = True
            if self.stop:
                break

    def run_together(self, batches, limit):
        for batch in batches:
            dist.all_reduce(batch)
            if limit > 3:
                self.stop = True
            if self.stop:
                break

    def save(self):
        if self.leads:
            dist.barrier()  # error: [conditional-collective]
