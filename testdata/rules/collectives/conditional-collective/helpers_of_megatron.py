"""Helpers of Megatron in which ranks agree, and a push of a trainer that saves first."""

import torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.transformer.moe.moe_utils import reduce_aux_losses_tracker_across_ranks
from megatron.training.async_utils import maybe_finalize_async_save
from transformers import Trainer


def finished(path, hook):
    maybe_finalize_async_save(blocking=True)
    if dist.get_rank() == 0:
        maybe_finalize_async_save(blocking=True)  # error: [conditional-collective]
        hook(path)


def reported():
    if parallel_state.is_pipeline_last_stage():
        reduce_aux_losses_tracker_across_ranks()  # error: [conditional-collective]


def pushed(model, settings):
    print(settings.deepspeed)
    trainer = Trainer(model=model, args=settings)
    trainer.push_to_hub()
    if dist.get_rank() == 0:
        trainer.push_to_hub()  # error: [conditional-collective]
