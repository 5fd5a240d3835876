"""An example that shards."""
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(net, steps):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    model = accelerator.prepare(net)
    for step in range(steps):
        model(step)
        if accelerator.is_main_process:
            accelerator.save_state("out")  # error: [conditional-collective]
