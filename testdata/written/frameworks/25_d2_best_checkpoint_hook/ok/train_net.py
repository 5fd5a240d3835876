"""Plain training loop for detectors."""
import comm
import hooks


class DetectionTrainer:
    def __init__(self, cfg, model, optimizer, loader, evaluate):
        self.cfg, self.model, self.optimizer = cfg, model, optimizer
        self._data = iter(loader)
        self.iter, self.last_loss, self.scores = 0, 0.0, {}
        self._hooks = []
        for hook in self.build_hooks(evaluate):
            hook.trainer = self
            self._hooks.append(hook)

    def build_hooks(self, evaluate):
        cfg = self.cfg
        ret = [hooks.IterationTimer(), hooks.EvalHook(cfg.eval_period, evaluate)]
        ret.append(hooks.BestCheckpoint(cfg.eval_period, "bbox/AP", cfg.output_dir))
        if comm.is_main_process():
            ret.append(hooks.LineWriter(cfg.log_period))
        return ret

    def _fire(self, event):
        for hook in self._hooks:
            getattr(hook, event)()

    def run_step(self):
        losses = self.model(next(self._data))
        total = sum(losses.values())
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()
        self.last_loss = total.item()

    def train(self):
        self._fire("before_train")
        for self.iter in range(self.cfg.max_iter):
            self.run_step()
            self._fire("after_step")
        self._fire("after_train")
