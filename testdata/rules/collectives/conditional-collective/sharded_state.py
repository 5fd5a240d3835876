"""A state dict is put together from all ranks where the model is sharded; nothing here says that it is."""
import torch
from accelerate import Accelerator


def saved_by_one(accelerator: Accelerator, model, path):
    if accelerator.is_main_process:
        torch.save(accelerator.get_state_dict(model), path)  # low: [conditional-collective]


def state_saved_by_one(accelerator: Accelerator, path):
    # Each rank saves its own random state, but where it goes they need not settle.
    if accelerator.is_main_process:
        accelerator.save_state(path)  # low: [conditional-collective]


def state_saved_by_one_somewhere(accelerator: Accelerator):
    # Where it goes they settle together.
    if accelerator.is_main_process:
        accelerator.save_state()  # error: [conditional-collective]


def state_saved_by_who_is_best(path, model, loader, best):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    for batch in loader:
        if model(**batch).loss < best:
            accelerator.save_state(path)  # low: [conditional-collective]
