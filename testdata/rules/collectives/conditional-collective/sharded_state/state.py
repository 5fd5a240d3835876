"""A state dict is put together from all ranks where the model is sharded; who asks for it on one rank alone had better not."""
import torch
from accelerate import Accelerator


def saved_by_one(accelerator: Accelerator, model, path):
    if accelerator.is_main_process:
        torch.save(accelerator.get_state_dict(model), path)  # error: [conditional-collective]


def state_saved_by_one(accelerator: Accelerator, path):
    # Each rank saves its own random state, and its part of the model.
    if accelerator.is_main_process:
        accelerator.save_state(path)  # error: [conditional-collective]


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


def state_saved_by_a_helper(accelerator: Accelerator, model, path):
    # For models of any kind: nothing says that this one is sharded.
    if accelerator.is_main_process:
        write_state(accelerator, model, path)  # low: [conditional-collective]


def write_state(accelerator: Accelerator, model, path):
    torch.save(accelerator.get_state_dict(model), path)
