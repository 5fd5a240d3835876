"""What shards the model lies in a package of this program."""
from accelerate import Accelerator
from models.wrapping import plugin


def train(args, model, optimizer, loader):
    accelerator = Accelerator(**{args.kind: plugin()})
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
    if accelerator.is_main_process:
        return accelerator.get_state_dict(model)  # error: [conditional-collective]
    return None
