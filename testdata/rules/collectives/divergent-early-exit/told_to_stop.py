"""A trainer reads its own flag on each rank: whoever sets it alone leaves the loop alone."""
import time
from time import monotonic

from lightning.pytorch import Callback
from lightning.pytorch.utilities import rank_zero_only
from transformers import TrainerCallback


class Controlled(Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.is_global_zero:
            if self.socket.poll(10):
                trainer.should_stop = True  # error: [divergent-early-exit]
        trainer.strategy.barrier()

    @rank_zero_only
    def on_validation_end(self, trainer, pl_module):
        if self.worse > self.patience:
            trainer.should_stop = True  # error: [divergent-early-exit]

    def on_train_epoch_end(self, trainer, pl_module):
        if not trainer.is_global_zero:
            return
        if self.asked():
            trainer.should_stop = True  # error: [divergent-early-exit]


class Limited(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        elapsed = time.time() - self.start
        if elapsed > self.limit:
            control.should_training_stop = True  # error: [divergent-early-exit]
        return control

    def on_epoch_end(self, args, state, control, **kwargs):
        if monotonic() > self.end:
            control.should_training_stop = True  # error: [divergent-early-exit]

    def on_log(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            control.should_epoch_stop = True  # error: [divergent-early-exit]


class Agreed(Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.is_global_zero and self.socket.poll(10):
            trainer.should_stop = True
        trainer.should_stop = trainer.strategy.broadcast(trainer.should_stop)

    def on_train_epoch_end(self, trainer, pl_module):
        stop = False
        if trainer.is_global_zero:
            trainer.should_stop = stop = self.asked()
        trainer.should_stop = trainer.strategy.broadcast(stop)

    def on_validation_end(self, trainer, pl_module):
        if time.time() - self.start > self.limit:
            trainer.should_stop = True
        self.stop = trainer.strategy.reduce_boolean_decision(trainer.should_stop, all=False)


class OnEveryRank(Callback):
    def on_validation_end(self, trainer, pl_module):
        if self.worse > self.patience:
            trainer.should_stop = True

    def on_fit_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            trainer.should_stop = False
            trainer.should_log = True
            self.control.should_stop = True
