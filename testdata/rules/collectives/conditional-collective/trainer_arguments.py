"""What a trainer holds has a known type: its arguments say on which rank it saves."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from transformers import Trainer, TrainerCallback
from trl import PPOTrainer

if TYPE_CHECKING:
    from transformers import TrainingArguments


class Saving(Trainer):
    def is_sharded(self):
        return self.is_deepspeed_enabled

    def save_model(self, output_dir=None, _internal_call=False):
        if self.args.should_save:
            self._save(output_dir, state_dict=self.accelerator.get_state_dict(self.model))  # error: [conditional-collective]


class Gathering(Trainer):
    def save_model(self, output_dir=None, _internal_call=False):
        state_dict = self.accelerator.get_state_dict(self.model)
        if self.args.should_save:
            self._save(output_dir, state_dict=state_dict)


class OwnArguments(PPOTrainer):
    def __init__(self, training_args: "TrainingArguments", **kwargs):
        super().__init__(**kwargs)
        self.args = training_args

    def save_model(self, output_dir=None):
        if self.args.should_save:
            self._save(output_dir, state_dict=self.accelerator.get_state_dict(self.model))  # error: [conditional-collective]


class Callback(TrainerCallback):
    def on_save(self, args: Optional[TrainingArguments], state, control, accelerator=None, model=None, **kwargs):
        if args.should_save:
            accelerator.get_state_dict(model)  # error: [conditional-collective]


class Schedule:
    """Not a trainer: whether it is time to save is the same everywhere."""

    def __init__(self, args):
        self.args = args

    def save_model(self, accelerator, model):
        if self.args.should_save:
            return accelerator.get_state_dict(model)
        return None
