"""Diffusion training with a background monitor of throughput and memory over all ranks."""
import argparse
import copy
import os
import threading
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Latents(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(4, 32, 32, generator=g), i % 1000


class Denoiser(nn.Module):
    def __init__(self, dim=256, classes=1000):
        super().__init__()
        self.inp = nn.Conv2d(4, dim, 3, padding=1)
        self.cond = nn.Embedding(classes + 1, dim)
        self.time = nn.Sequential(nn.Linear(1, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.mid = nn.Sequential(nn.SiLU(), nn.Conv2d(dim, dim, 3, padding=1), nn.SiLU(), nn.Conv2d(dim, 4, 3, padding=1))

    def forward(self, x, t, y):
        h = self.inp(x) + (self.cond(y) + self.time(t[:, None]))[:, :, None, None]
        return self.mid(h)


class ClusterMonitor:
    """Samples this rank's counters every few seconds and prints the slowest / fullest rank."""

    def __init__(self, interval, device):
        self.interval, self.device = interval, device
        self.samples = 0
        self._last = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="monitor", daemon=True)

    def start(self):
        self._thread.start()
        return self

    def count(self, n):
        self.samples += n

    def _snapshot(self):
        rate = (self.samples - self._last) / self.interval
        self._last = self.samples
        mem = torch.cuda.max_memory_allocated(self.device) / 2 ** 30
        return torch.tensor([-rate, mem], device=self.device)

    def _loop(self):
        while not self._stop.wait(self.interval):  # BUG 1
            snap = self._snapshot()
            dist.all_reduce(snap, op=dist.ReduceOp.MAX)  # BUG 1
            if dist.get_rank() == 0:
                print(f"[monitor] slowest rank {-snap[0].item():.1f} img/s, peak {snap[1].item():.1f} GB", flush=True)

    def stop(self):
        self._stop.set()
        self._thread.join()


class LocalWatchdog:
    """Dumps a note when this process has not made a step for long."""

    def __init__(self, limit):
        self.limit, self.beat = limit, time.monotonic()
        threading.Thread(target=self._loop, daemon=True).start()

    def tick(self):
        self.beat = time.monotonic()

    def _loop(self):
        while True:
            time.sleep(10)
            if time.monotonic() - self.beat > self.limit:
                print(f"[watchdog] rank {os.environ.get('RANK')}: no step for {self.limit}s", flush=True)
                self.tick()


@torch.no_grad()
def ema_update(ema, model, decay):
    for e, p in zip(ema.parameters(), model.parameters()):
        e.lerp_(p, 1 - decay)


def diffusion_loss(model, x, y, p_uncond=0.1):
    t = torch.rand(x.shape[0], device=x.device)
    noise = torch.randn_like(x)
    a = torch.cos(t * torch.pi / 2)[:, None, None, None]
    b = torch.sin(t * torch.pi / 2)[:, None, None, None]
    drop = torch.rand(x.shape[0], device=x.device) < p_uncond
    y = torch.where(drop, torch.full_like(y, 1000), y)
    return F.mse_loss(model(a * x + b * noise, t, y), noise)


def save(path, model, ema, opt, step):
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "ema": ema.state_dict(), "opt": opt.state_dict(), "step": step}, path)
    dist.barrier()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--ckpt-every", type=int, default=5000)
    p.add_argument("--out", default="/shared/dit")
    p.add_argument("--monitor-interval", type=float, default=30.0)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(dist.get_rank())
    if dist.get_rank() == 0:
        os.makedirs(args.out, exist_ok=True)

    model = DDP(Denoiser().to(device), device_ids=[device.index])
    ema = copy.deepcopy(model.module).requires_grad_(False)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = Latents(500_000)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=4, drop_last=True)
    monitor = ClusterMonitor(args.monitor_interval, device).start()
    watchdog = LocalWatchdog(600)

    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = diffusion_loss(model, x.to(device), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema_update(ema, model.module, 0.9999)
            step += 1
            monitor.count(len(x))
            watchdog.tick()
            if step % args.ckpt_every == 0:
                save(f"{args.out}/{step:07d}.pt", model, ema, opt, step)
    monitor.stop()
    save(f"{args.out}/last.pt", model, ema, opt, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
