"""Whoever puts a copy in place of what gathers the model saves alone."""
from accelerate import Accelerator

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def save_adapter(accelerator: Accelerator, model, folder):
    state = {name: part.cpu() for name, part in model.module.state_dict().items()}
    kept = accelerator.get_state_dict
    accelerator.get_state_dict = lambda _: state
    if accelerator.is_main_process:
        accelerator.save_model(model, folder)  # low: [conditional-collective]
    accelerator.get_state_dict = kept


def save_whole(accelerator: Accelerator, model, folder):
    model = FSDP(model)
    if accelerator.is_main_process:
        accelerator.save_model(model, folder)  # error: [conditional-collective]
