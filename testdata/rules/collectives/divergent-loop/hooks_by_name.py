"""Methods that are looked up by a name which the caller hands in, of objects that only one rank has."""

import torch.distributed as dist


def get_rank():
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


class Hook:
    def before_train(self): ...

    def after_step(self): ...


class Timer(Hook):
    def before_train(self):
        print("begins")


class Best(Hook):
    def after_step(self):
        dist.barrier()


class Trainer:
    def __init__(self):
        self.hooks = []
        for hook in self.build_hooks():
            self.hooks.append(hook)

    def build_hooks(self):
        hooks = [Timer()]
        if get_rank() == 0:
            hooks.append(Best())
        return hooks

    def fire(self, event):
        for hook in self.hooks:
            getattr(hook, event)()

    def train(self, steps):
        self.fire("before_train")
        for _ in range(steps):
            self.fire("after_step")  # error: [divergent-loop]


class TrainerOfAll:
    def __init__(self, hooks):
        self.hooks = hooks

    def fire_all(self, event):
        for hook in self.hooks:
            getattr(hook, event)()

    def train(self, steps):
        self.fire_all("before_train")
        for _ in range(steps):
            self.fire_all("after_step")


def main(steps):
    hooks = [Best()]
    if get_rank() == 0:
        hooks.append(Timer())
    trainer = TrainerOfAll(hooks)
    trainer.train(steps)


def best_on_the_first(steps):
    hooks = [Timer()]
    if get_rank() == 0:
        hooks.append(Best())
    trainer = TrainerOfAll(hooks)
    trainer.train(steps)  # error: [divergent-loop]
