"""Nothing here speaks of sharded models: a state is saved by one rank alone, and hangs nobody unless the launcher shards it."""
from accelerate import Accelerator


def train(args, model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
    if accelerator.is_main_process:
        accelerator.save_state(args.output)  # low: [conditional-collective]
    if accelerator.is_main_process:
        accelerator.wait_for_everyone()  # error: [conditional-collective]


def save_metrics(accelerator, model, output):
    """A state of what nobody shards is there whole, however it is asked for."""
    if accelerator.is_main_process:
        accelerator.get_state_dict(model)  # low: [conditional-collective]
    accelerator.wait_for_everyone()
