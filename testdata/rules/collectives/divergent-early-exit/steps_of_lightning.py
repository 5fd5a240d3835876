"""Steps of Lightning that return nothing for some batches: the framework has no loss to take back there, and the others wait."""
import lightning.pytorch as pl
import torch


class SkipsWhatIsNotFinite(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):
            return None
        self.log("loss", loss)
        return loss  # error: [divergent-early-exit]


class SkipsEmptyBatches(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        if batch["mask"].sum() == 0:
            return
        return self.net(batch["inputs"]).mean()  # error: [divergent-early-exit]


class SkipsAlike(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        if batch_idx % 2 == 0 or self.hparams.frozen:
            return None
        return self.net(batch).mean()


class ReturnsZero(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):
            return loss * 0.0
        return loss

    def validation_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):
            return None
        return loss


class ByHand(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):
            return None
        loss.backward()
        return loss


def main(data):
    pl.Trainer(strategy="ddp", devices=2).fit(SkipsWhatIsNotFinite(), data)
