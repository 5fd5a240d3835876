from accelerate import Accelerator as Original
from ported.accelerate import Accelerator


def train(model, folder):
    accelerator = Accelerator()
    accelerator.prepare(model)
    if accelerator.is_main_process:
        accelerator.save_state(folder)


def train_with_the_original(model, folder):
    accelerator = Original()
    accelerator.prepare(model)
    if accelerator.is_main_process:
        accelerator.save_state(folder)  # low: [conditional-collective]
