"""Methods of a library's base that a subclass calls by `super()`: what the base issues is issued there."""
import torch
from transformers import Trainer


class EvaluatesOnOne(Trainer):
    def evaluate(self, *args, **kwargs):
        if self.is_world_process_zero():
            return super().evaluate(*args, **kwargs)  # error: [conditional-collective]
        return {}


class SavesOnOne(Trainer):
    def save_model(self, output_dir=None, _internal_call=False):
        if self.is_world_process_zero():
            super().save_model(output_dir, _internal_call)  # low: [conditional-collective]


class EvaluatesOnAll(Trainer):
    def evaluate(self, *args, **kwargs):
        metrics = super().evaluate(*args, **kwargs)
        if self.is_world_process_zero():
            print(metrics)
        return metrics

    def log(self, logs, *args):
        if self.is_world_process_zero():
            super().log(logs, *args)

    def save_model(self, output_dir=None, _internal_call=False):
        super().save_model(output_dir, _internal_call)
        if self.is_world_process_zero():
            torch.save(self.args, f"{output_dir}/args.bin")
