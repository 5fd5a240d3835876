"""Text recognition module with character error rate on annotated crops."""
import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from ocr_data import Alphabet, CropDataset, collate_crops


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


class Recognizer(nn.Module):
    def __init__(self, n_chars, width=256):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, 64, 3, stride=(2, 1), padding=1),
            nn.GELU(),
            nn.Conv2d(64, width, 3, stride=(2, 1), padding=1),
            nn.GELU(),
            nn.AdaptiveAvgPool2d((1, None)),
        )
        self.rnn = nn.LSTM(width, width, 2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(2 * width, n_chars + 1)

    def forward(self, x):
        feats = self.stem(x).squeeze(2).transpose(1, 2)
        out, _ = self.rnn(feats)
        return self.head(out)


class OCRModule(L.LightningModule):
    def __init__(self, alphabet, lr=1e-3):
        super().__init__()
        self.alphabet = alphabet
        self.lr = lr
        self.net = Recognizer(len(alphabet))
        self.val_scores = []

    def training_step(self, batch, batch_idx):
        logits = self.net(batch["image"]).log_softmax(-1).transpose(0, 1)
        lengths = torch.full((logits.size(1),), logits.size(0), dtype=torch.long)
        loss = F.ctc_loss(logits, batch["target"], lengths, batch["target_len"], zero_infinity=True)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def on_validation_epoch_start(self):
        self.val_scores.clear()

    def validation_step(self, batch, batch_idx):
        best = self.net(batch["image"]).argmax(-1)
        for path, text in zip(best.tolist(), batch["text"]):
            if not text:
                continue
            guess = self.alphabet.collapse(path)
            self.val_scores.append(edit_distance(guess, text) / len(text))

    def on_validation_epoch_end(self):
        totals = [float(sum(self.val_scores)), float(len(self.val_scores))]
        stats = torch.tensor(totals, device=self.device)
        stats = self.all_gather(stats).reshape(-1, 2).sum(0)
        self.log("val/cer", stats[0] / stats[1].clamp(min=1), prog_bar=True)
        self.log("val/crops", stats[1])

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)}


def main(root="crops", devices=8):
    alphabet = Alphabet.from_file(f"{root}/alphabet.txt")
    loaders = [
        DataLoader(
            CropDataset(root, split, alphabet),
            batch_size=64,
            shuffle=split == "train",
            num_workers=8,
            collate_fn=collate_crops,
        )
        for split in ("train", "val")
    ]
    trainer = L.Trainer(devices=devices, strategy="ddp", max_epochs=30, precision="bf16-mixed")
    trainer.fit(OCRModule(alphabet), *loaders)


if __name__ == "__main__":
    main()
