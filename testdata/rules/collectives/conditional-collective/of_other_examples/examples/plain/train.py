"""An example that shards nothing: what a neighbour knows of sharding is its own affair."""
from accelerate import Accelerator


def main(net, steps):
    accelerator = Accelerator()
    model = accelerator.prepare(net)
    for step in range(steps):
        model(step)
        if accelerator.is_main_process:
            accelerator.save_state("out")  # low: [conditional-collective]
