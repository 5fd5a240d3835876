"""A step of Lightning in a program of which nothing says that several processes train it."""
import lightning.pytorch as pl
import torch


class SkipsWhatIsNotFinite(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):
            return None
        return loss


def main(data):
    pl.Trainer(max_epochs=2).fit(SkipsWhatIsNotFinite(), data)
