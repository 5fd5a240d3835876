"""Hooks that a framework calls on every rank, and a decorator runs on one: nobody in the program calls them."""
import lightning as L
from lightning.pytorch.utilities import rank_zero_only


class KeepBest(L.Callback):
    @rank_zero_only
    def on_validation_end(self, trainer, pl_module):
        trainer.save_checkpoint("best.ckpt")  # error: [conditional-collective]


class Tell(L.Callback):
    @rank_zero_only
    def on_validation_end(self, trainer, pl_module):
        print(trainer.callback_metrics)


class KeepAll(L.Callback):
    def on_validation_end(self, trainer, pl_module):
        trainer.save_checkpoint("last.ckpt")
