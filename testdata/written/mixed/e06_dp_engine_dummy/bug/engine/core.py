import queue

import torch
import torch.distributed as dist

from .model_runner import ModelRunner
from .scheduler import Scheduler


class DPEngineCore:
    """One engine per data parallel rank; the ranks step in lock step while any has work."""

    SYNC_INTERVAL = 16

    def __init__(self, cfg, input_queue, dp_group_cpu, ep_group):
        self.scheduler = Scheduler(cfg.max_num_seqs)
        self.runner = ModelRunner(cfg.vocab, cfg.dim, cfg.layers, ep_group)
        self.input_queue = input_queue
        self.dp_group_cpu = dp_group_cpu
        self.engines_running = False
        self.counter = 0
        self.finished = []

    def _drain_inputs(self):
        while True:
            try:
                self.scheduler.add_request(self.input_queue.get_nowait())
            except queue.Empty:
                return

    def _any_unfinished(self, local):
        flag = torch.tensor([int(local)], dtype=torch.int32)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX, group=self.dp_group_cpu)
        return bool(flag.item())

    def step(self):
        out = self.scheduler.schedule()
        tokens = self.runner.execute_model(out)
        if tokens:
            self.finished.extend(self.scheduler.update(out, tokens))

    def warmup(self):
        for _ in range(3):
            self.runner.execute_dummy_batch()
        torch.cuda.synchronize()

    def run_busy_loop(self, max_idle=10_000):
        idle = 0
        while idle < max_idle:
            self._drain_inputs()
            if not self.engines_running:
                self.engines_running = self._any_unfinished(self.scheduler.has_unfinished_requests())
                idle = 0 if self.engines_running else idle + 1
                continue
            self.step()
            self.counter += 1
            if self.counter % self.SYNC_INTERVAL == 0:
                self.engines_running = self._any_unfinished(self.scheduler.has_unfinished_requests())
        return self.finished
