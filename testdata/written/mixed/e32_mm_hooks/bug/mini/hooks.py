import os

import torch
import torch.distributed as dist

from .registry import HOOKS, Hook


@HOOKS.register_module
class SamplerSeedHook(Hook):
    priority = 10

    def before_epoch(self, runner):
        runner.loader.sampler.set_epoch(runner.epoch)


@HOOKS.register_module
class CheckpointHook(Hook):
    def __init__(self, interval=1, out_dir="work_dirs"):
        self.interval, self.out_dir = interval, out_dir

    def before_run(self, runner):
        if runner.rank == 0:
            os.makedirs(self.out_dir, exist_ok=True)

    def after_epoch(self, runner):
        if not self.every_n_epochs(runner, self.interval) or runner.rank != 0:
            return
        torch.save({"epoch": runner.epoch, "model": runner.model.module.state_dict()},
                   os.path.join(self.out_dir, f"epoch_{runner.epoch + 1}.pth"))


@HOOKS.register_module
class SyncBuffersHook(Hook):
    """Averages the BN statistics before they are evaluated or saved."""
    priority = 40

    @torch.no_grad()
    def after_epoch(self, runner):
        for b in runner.model.module.buffers():
            if b.is_floating_point():
                dist.all_reduce(b)
                b.div_(runner.world_size)


@HOOKS.register_module
class TextLoggerHook(Hook):
    priority = 90

    def __init__(self, interval=50):
        self.interval = interval

    def after_iter(self, runner):
        if self.every_n_iters(runner, self.interval):
            print(f"epoch {runner.epoch} iter {runner.iter} loss {runner.outputs['loss'].item():.4f}", flush=True)

    def after_run(self, runner):
        print("best", getattr(runner, "best", None))


@HOOKS.register_module
class GradStatsHook(Hook):
    """Spread of the local gradient norms over the ranks, for the log."""
    priority = 85

    def __init__(self, interval=50):
        self.interval = interval

    def after_iter(self, runner):
        if not self.every_n_iters(runner, self.interval):
            return
        n = runner.outputs["local_norm"]
        lo, hi = n.clone(), n.clone()
        dist.all_reduce(lo, op=dist.ReduceOp.MIN)  # BUG 1
        dist.all_reduce(hi, op=dist.ReduceOp.MAX)  # BUG 1
        if runner.rank == 0:
            print(f"grad norm over ranks: {lo.item():.3f} .. {hi.item():.3f}", flush=True)


@HOOKS.register_module
class EvalHook(Hook):
    priority = 60

    def __init__(self, loader, interval=1):
        self.loader, self.interval = loader, interval

    @torch.no_grad()
    def after_epoch(self, runner):
        if not self.every_n_epochs(runner, self.interval):
            return
        net = runner.model.module.eval()
        acc = torch.zeros(2, device=runner.device)
        for x, y in self.loader:
            acc[0] += (net(x.to(runner.device)).argmax(1).cpu() == y).sum()
            acc[1] += len(y)
        dist.all_reduce(acc)
        net.train()
        top1 = (acc[0] / acc[1]).item()
        if top1 > getattr(runner, "best", 0.0):
            runner.best = top1
            if runner.rank == 0:
                torch.save(net.state_dict(), os.path.join(runner.work_dir, "best.pth"))
