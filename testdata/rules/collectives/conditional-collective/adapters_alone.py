"""A script that was begun from an example: it names the states of adapters, and what keeps an engine from sharding what is
frozen, and shards nothing."""
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from peft.utils import get_peft_model_state_dict


def deepspeed_zero_init_disabled_context_manager():
    deepspeed_plugin = AcceleratorState().deepspeed_plugin
    return [] if deepspeed_plugin is None else [deepspeed_plugin.zero3_init_context_manager(enable=False)]


def train(args, model, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
    if accelerator.is_main_process:
        accelerator.save_state(args.output)  # low: [conditional-collective]
        return get_peft_model_state_dict(model)
