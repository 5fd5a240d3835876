"""DDP fine-tuning loop with W&B tracking and a progress bar on the main process."""
import os

import torch
import torch.distributed as dist
import wandb
from torch.nn.parallel import DistributedDataParallel as DDP
from tqdm import tqdm


def world_mean(value: torch.Tensor) -> torch.Tensor:
    out = value.detach().clone()
    dist.all_reduce(out)
    return out / dist.get_world_size()


class FineTuner:
    def __init__(self, cfg, model, optimizer, loader):
        self.cfg = cfg
        self.rank = int(os.environ["RANK"])
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        self.model = DDP(model.to(self.device), device_ids=[self.device.index])
        self.optimizer = optimizer
        self.loader = loader
        self.run = None
        self.pbar = None
        if self.rank == 0:
            self.run = wandb.init(project=cfg.project, config=vars(cfg))
            self.pbar = tqdm(total=len(loader) * cfg.epochs)

    def _show(self, loss: torch.Tensor) -> None:
        if self.pbar is None:
            return  # BUG 1
        self.pbar.update(1)
        self.pbar.set_postfix(loss=f"{world_mean(loss).item():.4f}")

    def _log(self, step: int, loss: torch.Tensor, grad_norm: torch.Tensor) -> None:
        if self.run:
            self.run.log(
                {
                    "train/grad_norm": grad_norm.item(),
                    "train/loss": world_mean(loss).item(),  # BUG 2
                },
                step=step,
            )

    def _log_epoch(self, epoch: int, total: torch.Tensor, batches: int) -> None:
        mean = world_mean(total / batches)
        if self.run is not None:
            self.run.log({"train/epoch_loss": mean.item(), "epoch": epoch})

    def fit(self) -> None:
        step = 0
        for epoch in range(self.cfg.epochs):
            self.loader.sampler.set_epoch(epoch)
            total = torch.zeros((), device=self.device)
            for x, y in self.loader:
                loss = self.model(x.to(self.device), y.to(self.device))
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_norm)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                total += loss.detach()
                step += 1
                self._show(loss)
                if step % self.cfg.log_every == 0:
                    self._log(step, loss, norm)
            self._log_epoch(epoch, total, len(self.loader))
