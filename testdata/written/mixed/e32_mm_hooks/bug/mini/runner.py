import torch
import torch.distributed as dist
import torch.nn as nn

from .registry import HOOKS


class Runner:
    def __init__(self, model, loader, optimizer, device, work_dir, max_epochs):
        self.model, self.loader, self.optimizer, self.device = model, loader, optimizer, device
        self.work_dir, self.max_epochs = work_dir, max_epochs
        self.rank, self.world_size = dist.get_rank(), dist.get_world_size()
        self.hooks = []
        self.epoch = self.iter = 0
        self.outputs = {}

    def register_hook(self, hook):
        hook = HOOKS.build(hook) if isinstance(hook, dict) else hook
        self.hooks.append(hook)
        self.hooks.sort(key=lambda h: h.priority)

    def register_training_hooks(self, cfg):
        for h in cfg.get("hooks", []):
            self.register_hook(h)
        if self.rank == 0:  # BUG 1
            for h in cfg.get("log_hooks", []):
                self.register_hook(h)  # BUG 1

    def call_hook(self, name):
        for h in self.hooks:
            getattr(h, name)(self)

    def run_iter(self, batch):
        x, y = (t.to(self.device) for t in batch)
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        self.outputs = {"loss": loss.detach(), "local_norm": norm.detach()}

    def run(self):
        self.call_hook("before_run")
        while self.epoch < self.max_epochs:
            self.model.train()
            self.call_hook("before_epoch")
            for batch in self.loader:
                self.run_iter(batch)
                self.call_hook("after_iter")
                self.iter += 1
            self.call_hook("after_epoch")
            self.epoch += 1
        self.call_hook("after_run")
