"""Objects whose methods communicate, handed on some ranks to whoever calls them back."""
import torch
import torch.distributed as dist
from accelerate import Accelerator
from transformers import Trainer, TrainerCallback


class GradientSpread(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        norm = torch.zeros(1)
        dist.all_reduce(norm)
        if state.is_world_process_zero:
            print(norm)


class Progress(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        print(state.global_step)


class Offline(TrainerCallback):
    """The library does not call this one."""

    def summary(self):
        dist.barrier()


class Quiet(GradientSpread):
    """It does something else in that place."""

    def on_step_end(self, args, state, control, **kwargs):
        print(state.global_step)


class Export(TrainerCallback):
    """Whether that communicates hangs on how the model was prepared."""

    def __init__(self, accelerator: Accelerator):
        self.accelerator = accelerator

    def on_train_end(self, args, state, control, model=None, **kwargs):
        print(len(self.accelerator.get_state_dict(model)))


def train(model, args, data):
    trainer = Trainer(model=model, args=args, train_dataset=data)
    if trainer.is_world_process_zero():
        trainer.add_callback(GradientSpread())  # error: [conditional-collective]
        trainer.add_callback(Progress())
        trainer.add_callback(Offline())
        trainer.add_callback(Quiet())
        trainer.add_callback(Export(Accelerator()))
    trainer.train()


def train_in_step(model, args, data):
    trainer = Trainer(model=model, args=args, train_dataset=data)
    trainer.add_callback(GradientSpread())
    if trainer.is_world_process_zero():
        trainer.add_callback(Progress())
    trainer.train()


def train_with_a_list(model, args, data):
    callbacks = [Progress()]
    spread = GradientSpread()
    if dist.get_rank() == 0:
        callbacks.append(spread)  # error: [conditional-collective]
    Trainer(model=model, args=args, train_dataset=data, callbacks=callbacks).train()


def train_with_a_list_in_step(model, args, data):
    callbacks = [GradientSpread()]
    if dist.get_rank() == 0:
        callbacks.append(Progress())
    Trainer(model=model, args=args, train_dataset=data, callbacks=callbacks).train()


class AfterTurn:
    def after_iter(self, runner):
        norm = torch.zeros(1)
        dist.all_reduce(norm)


def run(runner, loader):
    if dist.get_rank() == 0:
        runner.register_hook(AfterTurn())  # error: [conditional-collective]
    runner.train(loader)
