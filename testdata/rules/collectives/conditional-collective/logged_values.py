"""A logged value is reduced where the call asks for it (P42)."""
import lightning as L


class Module(L.LightningModule):
    def validation_step(self, batch, index):
        loss = self.compute(batch)
        if self.trainer.is_global_zero:
            self.log("loss", loss, sync_dist=True)  # error: [conditional-collective]

    def test_step(self, batch, index):
        loss = self.compute(batch)
        self.log("loss", loss, sync_dist=True)
        if self.trainer.is_global_zero:
            self.log("local", loss, rank_zero_only=True)
            self.log("alone", loss, sync_dist=True, rank_zero_only=True)

    def training_step(self, batch, index):
        hits = [item for item in batch if item.is_labelled]
        if len(hits) > 0:
            self.log("labelled", len(hits), on_step=False, on_epoch=True, sync_dist=True)  # low: [conditional-collective]
        if len(hits) > 0:
            self.log("labelled_now", len(hits), on_step=True, sync_dist=True)  # error: [conditional-collective]
        return self.compute(batch)


class Evaluated(L.LightningModule):
    def validation_step(self, batch, index):
        hits = [item for item in batch if item.is_labelled]
        if len(hits) > 0:
            self.log("labelled", len(hits), sync_dist=True)  # low: [conditional-collective]
        if len(hits) > 0:
            self.log("labelled_now", len(hits), on_step=True, sync_dist=True)  # error: [conditional-collective]
