"""An exit behind a parameter that every call leaves at its default is taken by nobody."""

import math

import torch.distributed as dist


class Trainer:
    def step(self, batch, raise_on_error=True):
        loss = self.model(batch)
        if not math.isfinite(loss.item()):
            if raise_on_error:
                raise FloatingPointError("not finite")
            return None
        dist.all_reduce(loss)  # low: [divergent-early-exit]
        return loss

    def step_leniently(self, batch, lenient=False):
        loss = self.model(batch)
        if not math.isfinite(loss.item()):
            if lenient:
                return None
            raise FloatingPointError("not finite")
        dist.all_reduce(loss)  # error: [divergent-early-exit]
        return loss

    def step_either_way(self, batch, raise_on_error=True):
        loss = self.model(batch)
        if not math.isfinite(loss.item()):
            if raise_on_error:
                print("not finite")
                raise FloatingPointError("not finite")
            else:
                print("goes on")
                return None
        dist.all_reduce(loss)  # low: [divergent-early-exit]
        return loss

    def step_handed_on(self, batch, raise_on_error=True):
        loss = self.model(batch)
        if not math.isfinite(loss.item()):
            if raise_on_error:
                raise FloatingPointError("not finite")
            return None
        dist.all_reduce(loss)  # error: [divergent-early-exit]
        return loss

    def run(self, loader, retried):
        for batch in loader:
            self.step(batch)
            self.step_either_way(batch)
            self.step_handed_on(batch)
        retried(self.step_handed_on, loader)
        for batch in loader:
            self.step_leniently(batch, lenient=self.lenient)
