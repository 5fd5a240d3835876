"""A property is read by its own method, whatever assigns to it."""

import torch.distributed as dist


class Trainer:
    def __init__(self):
        self._stop = False
        self._level = 0

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

    @property
    def level(self):
        return self._level

    @level.deleter
    def level(self):
        print(self._level)

    @level.setter
    def level(self, value):
        self._level = value + 1

    def climb(self, batches):
        for batch in batches:
            dist.all_reduce(batch)  # error: [divergent-early-exit]
            if dist.get_rank() == 0:
                self.level = 5
            if self._level > 3:
                break

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


class Valve:
    def __init__(self):
        self._open = 0

    @property
    def opening(self):
        return self._open

    @opening.setter
    def opening(self, value):
        self._open = value


def drain(batches):
    valve = Valve()
    for batch in batches:
        dist.all_reduce(batch)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            valve.opening = 5
        if valve._open > 3:
            break
