"""One training step of a pipelined T5 model."""
import logging
from dataclasses import dataclass

import torch
from megatron.core import mpu
from megatron.core.pipeline_parallel import get_forward_backward_func

from reductions import average_losses, calc_grad_norm

logger = logging.getLogger(__name__)


@dataclass
class StepConfig:
    seq_length: int
    micro_batch_size: int
    num_microbatches: int
    clip: float = 1.0
    log_interval: int = 10


class StepRunner:
    def __init__(self, cfg, model, optimizer, scheduler, forward_step):
        self.cfg = cfg
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.forward_step = forward_step
        self.forward_backward = get_forward_backward_func()
        self.iteration = 0

    def _zero(self):
        for chunk in self.model:
            chunk.zero_grad_buffer()
        self.optimizer.zero_grad()

    def _summary(self, outputs):
        if not mpu.is_pipeline_last_stage(ignore_virtual=True):
            return {}
        names = outputs[0].keys()
        columns = {name: [o[name] for o in outputs] for name in names}
        return {
            name: average_losses(values, group=mpu.get_data_parallel_group()).mean()
            for name, values in columns.items()
        }

    def step(self, data_iterator):
        self._zero()
        outputs = self.forward_backward(
            forward_step_func=self.forward_step,
            data_iterator=data_iterator,
            model=self.model,
            num_microbatches=self.cfg.num_microbatches,
            seq_length=self.cfg.seq_length,
            micro_batch_size=self.cfg.micro_batch_size,
            forward_only=False,
        )
        norm = calc_grad_norm(
            (p for chunk in self.model for p in chunk.parameters()),
            mpu.get_model_parallel_group(),
        )
        ok, _, _ = self.optimizer.step()
        if ok:
            self.scheduler.step(increment=self.cfg.num_microbatches * self.cfg.micro_batch_size)
        losses = self._summary(outputs)
        self.iteration += 1
        if losses and self.iteration % self.cfg.log_interval == 0:
            if mpu.get_data_parallel_rank() == 0 and mpu.get_tensor_model_parallel_rank() == 0:
                text = " ".join(f"{k}={v.item():.4f}" for k, v in losses.items())
                logger.info("iter %d %s gnorm %.3f", self.iteration, text, norm)
        return losses


def train(cfg, pieces, data_iterator, iterations):
    runner = StepRunner(cfg, *pieces)
    for _ in range(iterations):
        runner.step(data_iterator)
    torch.cuda.synchronize()
    return runner.iteration
