"""Lightning module for a classifier with an optional auxiliary head."""
import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


class Classifier(pl.LightningModule):
    def __init__(self, backbone, hidden, num_classes, lr):
        super().__init__()
        self.backbone = backbone
        self.head = torch.nn.Linear(hidden, num_classes)
        self.val_acc = MulticlassAccuracy(num_classes)
        self.val_f1 = MulticlassF1Score(num_classes)
        self.lr = lr

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        logits = self(batch["image"])
        losses = F.cross_entropy(logits, batch["label"], reduction="none")
        rare = batch["is_rare"]
        share = rare.float().mean()
        self.log("train/rare_share", share, on_step=True, sync_dist=True)
        if rare.any():
            self.log("train/rare_loss", losses[rare].mean(), on_step=True, sync_dist=True)  # BUG 1
        loss = losses.mean()
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        logits = self(batch["image"])
        self.val_acc.update(logits, batch["label"])
        self.val_f1.update(logits, batch["label"])

    def on_validation_epoch_end(self):
        acc = self.val_acc.compute()
        if self.trainer.is_global_zero:
            print(f"accuracy {acc.item():.4f}")
            f1 = self.val_f1.compute()  # BUG 2
            print(f"f1 {f1.item():.4f}")
        self.val_acc.reset()
        self.val_f1.reset()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr)
