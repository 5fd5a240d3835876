import argparse
import os
import time

import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, LearningRateMonitor
from lightning.pytorch.strategies import FSDPStrategy
from lightning.pytorch.utilities import rank_zero_info, rank_zero_only
from torch.utils.data import DataLoader, Dataset


class TokenDataset(Dataset):
    def __init__(self, n, seq_len, vocab):
        self.n, self.seq_len, self.vocab = n, seq_len, vocab

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        ids = torch.randint(0, self.vocab, (self.seq_len + 1,), generator=g)
        return ids[:-1], ids[1:]


class GPTBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        s = x.shape[1]
        mask = torch.triu(torch.full((s, s), float("-inf"), device=x.device, dtype=x.dtype), 1)
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class LitGPT(pl.LightningModule):
    def __init__(self, vocab=32000, dim=768, layers=12, heads=12, lr=3e-4):
        super().__init__()
        self.save_hyperparameters()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList([GPTBlock(dim, heads) for _ in range(layers)])
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.head(x)

    def training_step(self, batch, idx):
        x, y = batch
        loss = F.cross_entropy(self(x).flatten(0, 1), y.flatten())
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, idx):
        x, y = batch
        loss = F.cross_entropy(self(x).flatten(0, 1), y.flatten())
        self.log("val/loss", loss, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class ThroughputLogger(Callback):
    def __init__(self, every=50):
        self.every, self.t0, self.seen = every, None, 0

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        if self.t0 is None:
            self.t0 = time.perf_counter()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.seen += batch[0].numel()
        if trainer.is_global_zero and batch_idx % self.every == 0:
            rank_zero_info(f"{self.seen / (time.perf_counter() - self.t0):.0f} tokens/s/gpu")


class PeriodicSave(Callback):
    """Keep a rolling checkpoint and a `latest` pointer for the resume script."""

    def __init__(self, folder, every_n_steps=1000, keep=2):
        self.folder, self.every, self.keep = folder, every_n_steps, keep
        self.saved = []

    def setup(self, trainer, pl_module, stage):
        if trainer.is_global_zero:
            os.makedirs(self.folder, exist_ok=True)
        trainer.strategy.barrier("periodic_save_setup")

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        step = trainer.global_step
        if step == 0 or step % self.every != 0 or path_of(self.folder, step) in self.saved:
            return
        self._save(trainer, path_of(self.folder, step))

    @rank_zero_only  # BUG 1
    def _save(self, trainer, path):
        trainer.save_checkpoint(path)  # BUG 1
        self.saved.append(path)
        while len(self.saved) > self.keep:
            old = self.saved.pop(0)
            if os.path.exists(old):
                os.remove(old)
        with open(os.path.join(self.folder, "latest"), "w") as f:
            f.write(path)

    def on_fit_end(self, trainer, pl_module):
        trainer.save_checkpoint(os.path.join(self.folder, "final.ckpt"))


def path_of(folder, step):
    return os.path.join(folder, f"step{step}.ckpt")


@rank_zero_only
def describe(args):
    print("config:", vars(args))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--folder", default="/shared/ckpts")
    p.add_argument("--devices", type=int, default=8)
    p.add_argument("--nodes", type=int, default=2)
    p.add_argument("--max-steps", type=int, default=20000)
    args = p.parse_args()
    describe(args)
    pl.seed_everything(1)
    strategy = FSDPStrategy(auto_wrap_policy={GPTBlock}, state_dict_type="full")
    trainer = pl.Trainer(accelerator="gpu", devices=args.devices, num_nodes=args.nodes, strategy=strategy,
                         max_steps=args.max_steps, val_check_interval=2000, limit_val_batches=50,
                         precision="bf16-mixed", enable_checkpointing=False,
                         callbacks=[ThroughputLogger(), PeriodicSave(args.folder), LearningRateMonitor()])
    train = DataLoader(TokenDataset(1_000_000, 1024, 32000), batch_size=4, num_workers=4)
    val = DataLoader(TokenDataset(10_000, 1024, 32000), batch_size=4, num_workers=2)
    trainer.fit(LitGPT(), train, val)


if __name__ == "__main__":
    main()
