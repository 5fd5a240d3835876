"""Lightning: a barrier, a broadcast and a checkpoint under `is_global_zero` (P01, P02)."""
import lightning as L
import torch


class Classifier(L.LightningModule):
    def on_validation_epoch_end(self):
        scores = torch.stack(self.outputs)
        if self.trainer.is_global_zero:
            gathered = self.all_gather(scores)  # error: [conditional-collective]
            print(gathered.mean())

    def on_test_epoch_end(self):
        scores = torch.stack(self.outputs)
        gathered = self.all_gather(scores)
        if self.trainer.is_global_zero:
            print(gathered.mean())

    def on_train_end(self):
        if self.global_rank == 0:
            self.trainer.save_checkpoint("last.ckpt")  # error: [conditional-collective]

    def on_fit_end(self):
        self.trainer.save_checkpoint("last.ckpt")
        if self.global_rank == 0:
            print("saved")


class Export(L.Callback):
    def on_fit_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            torch.save(pl_module.state_dict(), "export.pt")
            trainer.strategy.barrier()  # error: [conditional-collective]

    def on_exception(self, trainer, pl_module, exception):
        if trainer.is_global_zero:
            print("failed", exception)

    def on_test_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            torch.save(pl_module.state_dict(), "export.pt")
        trainer.strategy.barrier("export")
