"""Hooks for the detection training loop."""
import logging
import math
import os
import time

import torch

import comm

logger = logging.getLogger(__name__)


class HookBase:
    trainer = None

    def before_train(self): ...

    def after_step(self): ...

    def after_train(self): ...


class IterationTimer(HookBase):
    def before_train(self):
        self._start = time.perf_counter()

    def after_train(self):
        spent = time.perf_counter() - self._start
        logger.info("%.3f s/it", spent / max(self.trainer.iter, 1))


class LineWriter(HookBase):
    def __init__(self, period):
        self.period = period

    def after_step(self):
        if self.trainer.iter % self.period == 0:
            logger.info("iter %d loss %.4f", self.trainer.iter, self.trainer.last_loss)


class EvalHook(HookBase):
    def __init__(self, period, evaluate):
        self.period, self.evaluate = period, evaluate

    def after_step(self):
        if (self.trainer.iter + 1) % self.period == 0:
            self.trainer.scores = self.evaluate(self.trainer.model)
            comm.synchronize()


class BestCheckpoint(HookBase):
    def __init__(self, period, metric, folder):
        self.period, self.metric, self.folder = period, metric, folder
        self.best = -math.inf

    def after_step(self):
        if (self.trainer.iter + 1) % self.period:
            return
        parts = comm.all_gather(self.trainer.scores[self.metric])  # BUG
        score = sum(parts) / len(parts)
        if score > self.best:
            self.best = score
            if comm.is_main_process():
                model = getattr(self.trainer.model, "module", self.trainer.model)
                torch.save(model.state_dict(), os.path.join(self.folder, "model_best.pth"))
