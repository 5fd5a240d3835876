"""The same beside what shards."""
from accelerate import Accelerator


def train(args, model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
    if accelerator.is_main_process:
        accelerator.save_state(args.output)  # error: [conditional-collective]
