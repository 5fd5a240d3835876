"""Two models in one mode, one of them in the other."""
from accelerate import Accelerator


def train(unet, encoder, optimizer, loader, steps, both):
    accelerator = Accelerator()
    if both:
        unet, encoder, optimizer, loader = accelerator.prepare(unet, encoder, optimizer, loader)
        encoder.train()
    else:
        unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    unet.train()
    for step, batch in enumerate(loader):
        unet(encoder(batch))
        if accelerator.is_main_process:
            if step % steps == 0:
                accelerator.save_state("out")  # error: [conditional-collective]
