"""A state saved by one rank alone: without a folder the accelerator works one out, and waits for all ranks on the way."""
from accelerate import Accelerator


def save(accelerator: Accelerator, epoch):
    if epoch % 10 == 0 and accelerator.is_main_process:
        accelerator.save_state()  # error: [conditional-collective]


def save_there(accelerator: Accelerator, epoch, folder):
    if epoch % 10 == 0 and accelerator.is_main_process:
        accelerator.save_state(folder)  # low: [conditional-collective]


def save_as_told(accelerator: Accelerator, epoch, options):
    if epoch % 10 == 0 and accelerator.is_main_process:
        accelerator.save_state(**options)  # low: [conditional-collective]
