"""The first rank alone asks for the state of a model, unless its parameters are sharded: then all do, further down."""
from accelerate import Accelerator
from accelerate.utils import DistributedType


def save(accelerator: Accelerator, model, path):
    if accelerator.is_main_process:
        if accelerator.state.deepspeed_plugin.zero_stage != 3:
            model.save_pretrained(path, state_dict=accelerator.get_state_dict(model))  # low: [conditional-collective]
    if accelerator.state.deepspeed_plugin.zero_stage == 3:
        model.save_pretrained(path, state_dict=accelerator.get_state_dict(model))  # error: [write-race]


def save_in_the_last_stage(accelerator: Accelerator, model, path):
    if accelerator.is_main_process:
        if accelerator.state.deepspeed_plugin.zero_stage == 3:
            model.save_pretrained(path, state_dict=accelerator.get_state_dict(model))  # error: [conditional-collective]


def save_in_a_low_stage(accelerator: Accelerator, model, path):
    if accelerator.is_main_process and accelerator.state.deepspeed_plugin.zero_stage < 3:
        model.save_pretrained(path, state_dict=accelerator.get_state_dict(model))  # low: [conditional-collective]


def save_in_any_stage(accelerator: Accelerator, model, path):
    if accelerator.is_main_process and accelerator.state.deepspeed_plugin.zero_stage < 4:
        model.save_pretrained(path, state_dict=accelerator.get_state_dict(model))  # error: [conditional-collective]


def keep(accelerator: Accelerator, step, path):
    if step % 10 == 0 and (accelerator.is_main_process or accelerator.distributed_type == DistributedType.DEEPSPEED):
        accelerator.save_state(path)  # low: [conditional-collective]


def keep_on_one(accelerator: Accelerator, step, path):
    if step % 10 == 0 and (accelerator.is_main_process or accelerator.distributed_type == DistributedType.MULTI_GPU):
        accelerator.save_state(path)  # error: [conditional-collective]
