"""A small trainer with callbacks and a shared control object."""
import logging
import time
from dataclasses import dataclass, field

import torch
from accelerate import Accelerator

logger = logging.getLogger(__name__)


@dataclass
class Control:
    should_log: bool = False
    should_save: bool = False
    should_evaluate: bool = False

    def new_step(self):
        self.should_log = self.should_save = self.should_evaluate = False


@dataclass
class RunState:
    step: int = 0
    epoch: int = 0
    smoothed: float = float("nan")
    history: list = field(default_factory=list)


class Callback:
    def on_train_begin(self, trainer, state, control): ...

    def on_step_end(self, trainer, state, control): ...

    def on_evaluate(self, trainer, state, control): ...


class FlowCallback(Callback):
    """Sets the periodic flags."""

    def __init__(self, log_every=20, eval_every=500):
        self.log_every, self.eval_every = log_every, eval_every

    def on_step_end(self, trainer, state, control):
        control.should_log = state.step % self.log_every == 0
        control.should_evaluate = state.step % self.eval_every == 0


class ProgressCallback(Callback):
    def on_train_begin(self, trainer, state, control):
        self.began = time.perf_counter()

    def on_step_end(self, trainer, state, control):
        if control.should_log and trainer.accelerator.is_main_process:
            rate = state.step / (time.perf_counter() - self.began)
            logger.info("step %d  %.2f it/s  loss %.4f", state.step, rate, state.smoothed)


class KeepBestCallback(Callback):
    """Asks for a save when the evaluation score improves."""

    def __init__(self):
        self.best = float("inf")

    def on_evaluate(self, trainer, state, control):
        score = state.history[-1]
        if trainer.accelerator.is_main_process and score < self.best:  # BUG
            logger.info("new best %.5f at step %d", score, state.step)
            self.best = score
            control.should_save = True


class Trainer:
    def __init__(self, model, optimizer, train_loader, eval_loader, loss_fn, out_dir, callbacks=()):
        self.accelerator = Accelerator()
        prepared = self.accelerator.prepare(model, optimizer, train_loader, eval_loader)
        self.model, self.optimizer, self.train_loader, self.eval_loader = prepared
        self.loss_fn, self.out_dir = loss_fn, out_dir
        self.callbacks = [FlowCallback(), ProgressCallback(), *callbacks]
        self.state, self.control = RunState(), Control()

    def _emit(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(self, self.state, self.control)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        losses = []
        for x, y in self.eval_loader:
            loss = self.loss_fn(self.model(x), y)
            losses.append(self.accelerator.gather(loss.reshape(1)))
        self.state.history.append(torch.cat(losses).mean().item())
        self._emit("on_evaluate")
        self.model.train()

    def _after_step(self, loss):
        value = loss.item()
        old = self.state.smoothed
        self.state.smoothed = value if old != old else 0.98 * old + 0.02 * value
        self._emit("on_step_end")
        if self.control.should_evaluate:
            self.evaluate()
        if self.control.should_save:
            self.accelerator.save_state(f"{self.out_dir}/step_{self.state.step}")  # BUG

    def train(self, epochs):
        self._emit("on_train_begin")
        self.model.train()
        for self.state.epoch in range(epochs):
            for x, y in self.train_loader:
                self.control.new_step()
                loss = self.loss_fn(self.model(x), y)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.state.step += 1
                self._after_step(loss)
        self.accelerator.wait_for_everyone()
        return self.state


def build(model, data, loss_fn, out_dir, lr=1e-3, batch_size=128):
    loaders = [
        torch.utils.data.DataLoader(part, batch_size, shuffle=i == 0) for i, part in enumerate(data)
    ]
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    return Trainer(model, optimizer, *loaders, loss_fn, out_dir, callbacks=[KeepBestCallback()])
