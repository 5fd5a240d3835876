"""Runner with a hook registry, MMEngine style."""
import os
from collections import defaultdict
from typing import Callable, Dict, List

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType

HOOKS: Dict[str, Callable] = {}


def register_hook(cls):
    HOOKS[cls.__name__] = cls
    return cls


@register_hook
class ConsoleHook:
    def __init__(self, every: int = 50):
        self.every = every

    def after_iter(self, runner):
        if runner.iter % self.every == 0:
            print(f"[{runner.epoch}] iter {runner.iter} loss {runner.last_loss:.4f}")


@register_hook
class FullCheckpointHook:
    def __init__(self, out_dir: str):
        self.out_dir = out_dir

    def _collect(self, model):
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
            return model.state_dict()

    def after_epoch(self, runner):
        state = self._collect(runner.model)  # BUG 1
        torch.save(state, os.path.join(self.out_dir, f"epoch_{runner.epoch}.pth"))


@register_hook
class MeanLossHook:
    def after_epoch(self, runner):
        mean = torch.tensor(runner.last_loss, device="cuda")
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        runner.epoch_losses.append(mean.item())


class Runner:
    def __init__(self, model, optimizer, loader, cfg):
        self.model, self.optimizer, self.loader, self.cfg = model, optimizer, loader, cfg
        self.iter = self.epoch = 0
        self.last_loss = 0.0
        self.epoch_losses: List[float] = []
        self._hooks = defaultdict(list)
        self.add(HOOKS["MeanLossHook"]())
        if dist.get_rank() == 0:
            self.add(HOOKS["ConsoleHook"](cfg.log_every))
            self.add(HOOKS["FullCheckpointHook"](cfg.out_dir))

    def add(self, hook) -> None:
        for event in ("after_iter", "after_epoch"):
            if hasattr(hook, event):
                self._hooks[event].append(getattr(hook, event))

    def call(self, event: str) -> None:
        for fn in self._hooks[event]:
            fn(self)

    def run(self) -> None:
        for self.epoch in range(self.cfg.epochs):
            for batch in self.loader:
                loss = self.model(batch)
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                self.last_loss = loss.item()
                self.iter += 1
                self.call("after_iter")
            self.call("after_epoch")
