"""GAN with a stochastic cross-device diversity term (manual optimisation)."""
import os
import random
from dataclasses import asdict, dataclass

import numpy as np
import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from torch import nn

from faces import FaceDataModule
from gan_nets import Discriminator, Generator


@dataclass
class GANConfig:
    z_dim: int = 256
    lr: float = 2e-4
    r1_gamma: float = 10.0
    diversity_prob: float = 0.25
    diversity_weight: float = 0.1
    seed: int = 2024


def seed_worker_process(seed):
    rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
    random.seed(seed + rank)
    np.random.seed(seed + rank)
    torch.manual_seed(seed + rank)


class DiversityTerm(nn.Module):
    """Penalises similar features across the global batch."""

    def forward(self, feats, everyone):
        a = F.normalize(feats, dim=1)
        b = F.normalize(everyone.reshape(-1, feats.size(1)), dim=1)
        return (a @ b.t()).pow(2).mean()


class GANModule(pl.LightningModule):
    def __init__(self, cfg):
        super().__init__()
        self.save_hyperparameters(asdict(cfg))
        self.cfg = cfg
        self.automatic_optimization = False
        self.gen = Generator(cfg.z_dim)
        self.disc = Discriminator()
        self.diversity = DiversityTerm()

    def setup(self, stage):
        if stage == "fit":
            seed_worker_process(self.cfg.seed)

    def _latents(self, n):
        return torch.randn(n, self.cfg.z_dim, device=self.device)

    def _r1(self, real):
        real = real.detach().requires_grad_()
        score, _ = self.disc(real)
        (grad,) = torch.autograd.grad(score.sum(), real, create_graph=True)
        return grad.flatten(1).square().sum(1).mean() * self.cfg.r1_gamma / 2

    def _disc_step(self, real, opt):
        fake = self.gen(self._latents(len(real))).detach()
        on_real, on_fake = self.disc(real)[0], self.disc(fake)[0]
        loss = F.softplus(-on_real).mean() + F.softplus(on_fake).mean() + self._r1(real)
        opt.zero_grad()
        self.manual_backward(loss)
        opt.step()
        return loss.detach()

    def _gen_step(self, n, opt):
        score, feats = self.disc(self.gen(self._latents(n)))
        loss = F.softplus(-score).mean()
        if random.random() < self.cfg.diversity_prob:  # BUG
            everyone = self.all_gather(feats.detach())  # BUG
            loss = loss + self.cfg.diversity_weight * self.diversity(feats, everyone)
        opt.zero_grad()
        self.manual_backward(loss)
        opt.step()
        return loss.detach()

    def training_step(self, batch, batch_idx):
        g_opt, d_opt = self.optimizers()
        real = batch["image"]
        d_loss = self._disc_step(real, d_opt)
        g_loss = self._gen_step(len(real), g_opt)
        self.log_dict({"d": d_loss, "g": g_loss}, prog_bar=True)

    def configure_optimizers(self):
        kw = {"lr": self.cfg.lr, "betas": (0.0, 0.99)}
        return [
            torch.optim.Adam(self.gen.parameters(), **kw),
            torch.optim.Adam(self.disc.parameters(), **kw),
        ]


def main():
    trainer = pl.Trainer(
        devices=8,
        max_steps=500_000,
        strategy="ddp_find_unused_parameters_true",
        logger=pl.loggers.TensorBoardLogger("runs", "gan"),
    )
    trainer.fit(GANModule(GANConfig()), datamodule=FaceDataModule("faces", batch_size=32, drop_last=True))


if __name__ == "__main__":
    main()
