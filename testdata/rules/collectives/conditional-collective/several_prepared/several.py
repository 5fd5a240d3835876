"""Two models at once: engines take one."""
from accelerate import Accelerator


def train(unet, encoder, optimizer, loader, steps):
    accelerator = Accelerator()
    unet, encoder, optimizer, loader = accelerator.prepare(unet, encoder, optimizer, loader)
    unet.train()
    encoder.train()
    for step, batch in enumerate(loader):
        unet(encoder(batch))
        if accelerator.is_main_process:
            if step % steps == 0:
                accelerator.save_state("out")  # low: [conditional-collective]
