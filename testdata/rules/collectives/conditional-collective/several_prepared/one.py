"""One model, which the launcher may have an engine shard."""
import deepspeed
from accelerate import Accelerator


def train(unet, optimizer, loader, steps):
    accelerator = Accelerator()
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    unet.train()
    for step, batch in enumerate(loader):
        unet(batch)
        if accelerator.is_main_process:
            if step % steps == 0:
                accelerator.save_state("out")  # error: [conditional-collective]
    print(deepspeed)
