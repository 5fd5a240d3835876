"""Allocator housekeeping for long-context DeepSpeed runs."""
import gc
import logging

import torch
import torch.distributed as dist

logger = logging.getLogger(__name__)


class AllocatorKeeper:
    """Drops cached blocks when fragmentation grows, so that all2all buffers still fit."""

    def __init__(self, engine, max_fraction: float = 0.92, every: int = 20):
        self.engine = engine
        self.max_fraction = max_fraction
        self.every = every
        self.total = torch.cuda.get_device_properties(engine.device).total_memory

    def _pressure(self) -> float:
        return torch.cuda.memory_reserved(self.engine.device) / self.total

    def _release(self) -> None:
        gc.collect()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()

    def after_step(self, step: int) -> None:
        if self._pressure() > self.max_fraction:
            logger.info("step %d: allocator above %.2f, releasing", step, self.max_fraction)
            self._release()
            dist.barrier()  # BUG 1

    def before_eval(self) -> bool:
        flag = torch.tensor([self._pressure() > self.max_fraction], dtype=torch.int32, device=self.engine.device)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        if flag.item():
            self._release()
            dist.barrier()
            return True
        return False


def run(engine, loader, evaluate, cfg) -> None:
    keeper = AllocatorKeeper(engine, cfg.max_fraction)
    for step, batch in zip(range(cfg.max_steps), loader):
        loss = engine(batch["input_ids"].to(engine.device), labels=batch["labels"].to(engine.device)).loss
        engine.backward(loss)
        engine.step()
        keeper.after_step(step)
        if (step + 1) % cfg.eval_every == 0:
            keeper.before_eval()
            evaluate(engine)
