"""A state dict is put together from all ranks where the model is sharded, and it is."""
import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(model, path):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    model = accelerator.prepare(model)
    if accelerator.is_main_process:
        torch.save(accelerator.get_state_dict(model), path)  # error: [conditional-collective]


def main_in_step(model, path):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    model = accelerator.prepare(model)
    state = accelerator.get_state_dict(model)
    if accelerator.is_main_process:
        torch.save(state, path)
