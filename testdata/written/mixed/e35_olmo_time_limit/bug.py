"""LM pre-training loop with time limit, cancel file and periodic sharded checkpoints (OLMo style)."""
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Tuple

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard


@dataclass
class TrainConfig:
    save_folder: str = "/shared/olmo"
    time_limit: float = 47.5 * 3600
    early_stopping_factor: float = 1.1
    canceled_check_interval: int = 50
    extra_steps_after_cancel: int = 10
    save_interval: int = 1000
    eval_interval: int = 500
    stop_at: int = 200_000
    vocab: int = 50280
    dim: int = 1024
    layers: int = 8
    batch: int = 4
    seq: int = 1024


def barrier():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def synchronize_value(value, device):
    """Rank 0's value on every rank."""
    if dist.is_available() and dist.is_initialized():
        t = torch.tensor(value, device=device)
        dist.broadcast(t, 0)
        return t.item()
    return value


def synchronize_flag(flag, device):
    return bool(synchronize_value(int(flag), device))


class LM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.dim)
        self.blocks = nn.ModuleList([nn.Sequential(nn.LayerNorm(c.dim), nn.Linear(c.dim, 4 * c.dim), nn.GELU(),
                                                   nn.Linear(4 * c.dim, c.dim)) for _ in range(c.layers)])
        self.head = nn.Linear(c.dim, c.vocab, bias=False)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = x + b(x)
        return self.head(x)


class Trainer:
    def __init__(self, cfg, model, optim, device):
        self.cfg, self.model, self.optim, self.device = cfg, model, optim, device
        self.step, self.start = 0, time.time()
        self.min_loss = math.inf
        self.cur_loss = math.nan
        self.gen = torch.Generator().manual_seed(dist.get_rank())

    def _state(self):
        m, o = get_state_dict(self.model, self.optim)
        return {"model": m, "optim": o, "step": self.step}

    def save_checkpoint(self):
        path = Path(self.cfg.save_folder) / f"step{self.step}"
        dcp.save(self._state(), checkpoint_id=str(path))
        if dist.get_rank() == 0:
            link = Path(self.cfg.save_folder) / "latest"
            if link.is_symlink():
                link.unlink()
            link.symlink_to(path.name, target_is_directory=True)
        barrier()
        return path

    def restore(self):
        exists = synchronize_flag((Path(self.cfg.save_folder) / "latest").exists(), self.device)
        if not exists:
            return
        state = self._state()
        dcp.load(state, checkpoint_id=str(Path(self.cfg.save_folder) / "latest"))
        set_state_dict(self.model, self.optim, model_state_dict=state["model"], optim_state_dict=state["optim"])
        self.step = state["step"]

    def check_if_cancelled(self) -> Tuple[bool, int]:
        cancel, extra, reason = False, 0, None
        if time.time() - self.start >= self.cfg.time_limit:  # BUG 1
            cancel, extra, reason = True, self.cfg.extra_steps_after_cancel, "time limit reached"
        elif self.cur_loss > self.cfg.early_stopping_factor * self.min_loss and self.step > 2000:
            cancel, reason = True, "loss above the early stopping threshold"
        if not cancel:
            asked = dist.get_rank() == 0 and (Path(self.cfg.save_folder) / "CANCEL").exists()
            cancel = synchronize_flag(asked, self.device)  # BUG 1
            reason = "cancel file"
        if cancel and dist.get_rank() == 0:
            print(f"run canceled: {reason}", flush=True)
        return cancel, extra

    def train_step(self):
        ids = torch.randint(0, self.cfg.vocab, (self.cfg.batch, self.cfg.seq + 1), generator=self.gen).to(self.device)
        loss = F.cross_entropy(self.model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optim.step()
        self.optim.zero_grad(set_to_none=True)
        mean = loss.detach()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        self.cur_loss = mean.item()
        self.min_loss = min(self.min_loss, self.cur_loss)
        if math.isnan(self.cur_loss):
            raise ValueError("nan loss encountered")

    @torch.no_grad()
    def evaluate(self, n=10):
        self.model.eval()
        total = torch.zeros(1, device=self.device)
        for _ in range(n):
            ids = torch.randint(0, self.cfg.vocab, (self.cfg.batch, self.cfg.seq + 1), generator=self.gen).to(self.device)
            total += F.cross_entropy(self.model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        self.model.train()
        return total.item() / n

    def fit(self):
        stop_at: Optional[int] = self.cfg.stop_at
        cancelled = False
        while self.step < stop_at:
            self.train_step()
            self.step += 1
            if not cancelled and self.step % self.cfg.canceled_check_interval == 0:
                cancelled, extra = self.check_if_cancelled()
                if cancelled:
                    stop_at = min(stop_at, self.step + extra)
            if self.step % self.cfg.save_interval == 0:
                self.save_checkpoint()
            if self.step % self.cfg.eval_interval == 0:
                val = self.evaluate()
                if dist.get_rank() == 0:
                    print(f"step {self.step} loss {self.cur_loss:.4f} val {val:.4f}", flush=True)
        self.save_checkpoint()


def main():
    cfg = TrainConfig()
    dist.init_process_group("cpu:gloo,cuda:nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(6198)
    model = LM(cfg).to(device)
    for b in model.blocks:
        fully_shard(b)
    fully_shard(model)
    optim = torch.optim.AdamW(model.parameters(), lr=3e-4)
    trainer = Trainer(cfg, model, optim, device)
    if dist.get_rank() == 0:
        Path(cfg.save_folder).mkdir(parents=True, exist_ok=True)
    trainer.restore()
    trainer.fit()
    barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
