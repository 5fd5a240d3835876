class Registry:
    def __init__(self, name):
        self.name, self._items = name, {}

    def register_module(self, cls):
        self._items[cls.__name__] = cls
        return cls

    def build(self, cfg):
        cfg = dict(cfg)
        return self._items[cfg.pop("type")](**cfg)


HOOKS = Registry("hook")


class Hook:
    priority = 50

    def before_run(self, runner): ...
    def before_epoch(self, runner): ...
    def after_iter(self, runner): ...
    def after_epoch(self, runner): ...
    def after_run(self, runner): ...

    def every_n_iters(self, runner, n):
        return n > 0 and (runner.iter + 1) % n == 0

    def every_n_epochs(self, runner, n):
        return n > 0 and (runner.epoch + 1) % n == 0
