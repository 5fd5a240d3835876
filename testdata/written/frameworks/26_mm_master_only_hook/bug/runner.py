"""A compact runner with prioritised hooks."""
import bisect
import json
import os.path as osp

import torch
import torch.distributed as dist

from dist_utils import collect_results, get_dist_info, master_only

HOOKS = {}


def register_hook(cls):
    HOOKS[cls.__name__] = cls
    return cls


class Hook:
    priority = 50

    def before_val_epoch(self, runner): ...

    def after_val_iter(self, runner, batch, outputs): ...

    def after_val_epoch(self, runner): ...

    def after_train_epoch(self, runner): ...


@register_hook
class CheckpointHook(Hook):
    priority = 90

    def __init__(self, interval=1):
        self.interval = interval

    @master_only
    def after_train_epoch(self, runner):
        if (runner.epoch + 1) % self.interval == 0:
            path = osp.join(runner.work_dir, f"epoch_{runner.epoch + 1}.pth")
            torch.save(runner.model.module.state_dict(), path)


@register_hook
class PredictionDumpHook(Hook):
    """Writes every validation prediction into one json per epoch."""

    priority = 60

    def __init__(self, score_thr=0.3):
        self.score_thr = score_thr
        self.rows = []

    def before_val_epoch(self, runner):
        self.rows = []

    def after_val_iter(self, runner, batch, outputs):
        for meta, pred in zip(batch["metas"], outputs):
            keep = pred["scores"] > self.score_thr
            self.rows.append({"id": meta["id"], "boxes": pred["boxes"][keep].tolist()})

    @master_only  # BUG
    def after_val_epoch(self, runner):
        rows = collect_results(self.rows, len(runner.val_loader.dataset))  # BUG
        self.dump(runner, rows)

    def dump(self, runner, rows):
        name = osp.join(runner.work_dir, f"pred_{runner.epoch:03d}.json")
        with open(name, "w") as f:
            json.dump(rows, f)


class Runner:
    def __init__(self, cfg, model, optimizer, train_loader, val_loader):
        self.rank, self.world_size = get_dist_info()
        self.model, self.optimizer = model, optimizer
        self.train_loader, self.val_loader = train_loader, val_loader
        self.work_dir, self.max_epochs = cfg["work_dir"], cfg["max_epochs"]
        self.epoch = 0
        self.hooks = []
        for spec in cfg["hooks"]:
            spec = dict(spec)
            hook = HOOKS[spec.pop("type")](**spec)
            at = bisect.bisect([h.priority for h in self.hooks], hook.priority)
            self.hooks.insert(at, hook)

    def call_hook(self, name, *args):
        for hook in self.hooks:
            getattr(hook, name)(self, *args)

    def run(self):
        for self.epoch in range(self.max_epochs):
            self.model.train()
            self.train_loader.sampler.set_epoch(self.epoch)
            for batch in self.train_loader:
                loss = sum(self.model(batch, mode="loss").values())
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.call_hook("after_train_epoch")
            self.model.eval()
            self.call_hook("before_val_epoch")
            with torch.no_grad():
                for batch in self.val_loader:
                    outputs = self.model.module(batch, mode="predict")
                    self.call_hook("after_val_iter", batch, outputs)
            self.call_hook("after_val_epoch")
            dist.barrier()
