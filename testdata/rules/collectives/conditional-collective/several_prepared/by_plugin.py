"""Two models at once, and what shards each of them."""
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def train(unet, encoder, optimizer, loader, steps):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    unet, encoder, optimizer, loader = accelerator.prepare(unet, encoder, optimizer, loader)
    unet.train()
    encoder.train()
    for step, batch in enumerate(loader):
        unet(encoder(batch))
        if accelerator.is_main_process:
            if step % steps == 0:
                accelerator.save_state("out")  # error: [conditional-collective]
