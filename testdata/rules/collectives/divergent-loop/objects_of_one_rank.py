"""Lists of objects that are longer on one rank: each turn issues what the method of that turn's object issues."""

import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Callback:
    def after_step(self, trainer, loss):
        pass


class Throughput(Callback):
    def after_step(self, trainer, loss):
        print(float(loss))


class MeanLoss(Callback):
    def after_step(self, trainer, loss):
        dist.all_reduce(loss)


class Preview(Callback):
    def after_step(self, trainer, loss):
        for _ in range(8):
            loss = trainer.model(loss)


class Trainer:
    def __init__(self, net, callbacks):
        self.model = FSDP(net)
        self.callbacks = callbacks

    def run(self, steps, loss):
        for step in range(steps):
            for callback in self.callbacks:
                callback.after_step(self, loss)


def previews_on_the_first(net, loss):
    callbacks = []
    if dist.get_rank() == 0:
        callbacks.append(Throughput())
        callbacks.append(Preview())
    trainer = Trainer(net, callbacks)
    trainer.run(100, loss)  # error: [divergent-loop]


def prints_on_the_first(net, loss):
    """All have the preview; the object more on the first rank issues nothing."""
    callbacks = [Preview()]
    if dist.get_rank() == 0:
        callbacks.append(Throughput())
    trainer = Trainer(net, callbacks)
    trainer.run(100, loss)


def averages_on_the_first(net, loss):
    hooks = [MeanLoss(), Throughput()] if dist.get_rank() == 0 else [Throughput()]
    for hook in hooks:
        hook.after_step(net, loss)  # error: [divergent-loop]


def averages_on_all(net, loss):
    hooks = [MeanLoss(), Throughput()] if dist.get_rank() == 0 else [MeanLoss()]
    for hook in hooks:
        hook.after_step(net, loss)


def waits_in_each_turn(net, loss):
    """What stands around the objects is issued in every turn."""
    hooks = [MeanLoss(), Throughput()] if dist.get_rank() == 0 else [MeanLoss()]
    for hook in hooks:
        hook.after_step(net, loss)  # error: [divergent-loop]
        dist.barrier()


class Registry:
    def __init__(self):
        self.hooks = []
        for hook in self.chosen():
            self.hooks.append(hook)

    def chosen(self):
        hooks = [Throughput()]
        if dist.get_rank() == 0:
            hooks.append(MeanLoss())
        return hooks

    def run(self, loss):
        for hook in self.hooks:
            hook.after_step(self, loss)  # error: [divergent-loop]


class RegistryOfAll:
    """The object more on the first rank issues nothing."""

    def __init__(self):
        self.hooks_of_all = []
        for hook in self.chosen_by_all():
            self.hooks_of_all.append(hook)

    def chosen_by_all(self):
        hooks = [MeanLoss()]
        if dist.get_rank() == 0:
            hooks.append(Throughput())
        return hooks

    def run(self, loss):
        for hook in self.hooks_of_all:
            hook.after_step(self, loss)


class RunningMean:
    def __init__(self):
        self.total = 0.0

    def update(self, values):
        self.total += float(values.sum())

    def reduce(self):
        dist.all_reduce(self.total)


def updated_in_place(batches, names):
    """What an object in a mapping is told adds no entry to the mapping."""
    means = {name: RunningMean() for name in names}
    for batch in batches[dist.get_rank() :: dist.get_world_size()]:
        if batch.any():
            for name in names:
                means[name].update(batch[name])
    for mean in means.values():
        mean.reduce()


class Inner:
    """The loop stands behind another call."""

    def __init__(self, callbacks, steps):
        self.callbacks = callbacks
        self.steps = steps

    def run(self, loss):
        for _ in range(self.steps):
            self.one(loss)

    def one(self, loss):
        for callback in self.callbacks:
            callback.after_step(self, loss)


def run_at_once(loss, steps):
    callbacks = [Throughput()]
    if dist.get_rank() == 0:
        callbacks.append(MeanLoss())
    Inner(callbacks, steps).run(loss)  # error: [divergent-loop]


def one_for_each_name(loss, names):
    hooks = []
    for name in names:
        hooks.append(Throughput())
        if dist.get_rank() == 0:
            hooks.append(MeanLoss())
    for hook in hooks:
        hook.after_step(name, loss)  # error: [divergent-loop]


def another_for_each_name(loss, names):
    hooks = []
    for name in names[: dist.get_rank()]:
        hooks.append(MeanLoss())
    for hook in hooks:
        hook.after_step(name, loss)  # error: [divergent-loop]
