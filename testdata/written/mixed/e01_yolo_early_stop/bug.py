import argparse
import copy
import os
import time
from contextlib import contextmanager
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

LOCAL_RANK = int(os.getenv("LOCAL_RANK", -1))
RANK = int(os.getenv("RANK", -1))
WORLD_SIZE = int(os.getenv("WORLD_SIZE", 1))


@contextmanager
def torch_distributed_zero_first(local_rank: int):
    if local_rank not in (-1, 0):
        dist.barrier(device_ids=[local_rank])
    yield
    if local_rank == 0:
        dist.barrier(device_ids=[0])


class ModelEMA:
    def __init__(self, model, decay=0.9999, tau=2000):
        self.ema = copy.deepcopy(model).eval()
        self.updates = 0
        self.decay = lambda x: decay * (1 - torch.exp(torch.tensor(-x / tau)).item())
        for p in self.ema.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.decay(self.updates)
        msd = model.state_dict()
        for k, v in self.ema.state_dict().items():
            if v.dtype.is_floating_point:
                v.mul_(d).add_(msd[k].detach(), alpha=1 - d)


class EarlyStopping:
    def __init__(self, patience=30):
        self.best_fitness = 0.0
        self.best_epoch = 0
        self.patience = patience or float("inf")

    def __call__(self, epoch, fitness):
        if fitness >= self.best_fitness:
            self.best_epoch = epoch
            self.best_fitness = fitness
        return (epoch - self.best_epoch) >= self.patience


def load_images(cache: Path, split: str):
    f = cache / f"{split}.cache.pt"
    with torch_distributed_zero_first(LOCAL_RANK):
        if not f.exists():
            cache.mkdir(parents=True, exist_ok=True)
            torch.save({"x": torch.randn(2048, 3, 64, 64), "y": torch.randint(0, 80, (2048,))}, f)
        blob = torch.load(f)
    return TensorDataset(blob["x"], blob["y"])


def budget_spent(t0, hours, device):
    stop = hours is not None and (time.time() - t0) > hours * 3600
    if RANK != -1:
        flag = torch.tensor([int(stop)], device=device)
        dist.broadcast(flag, src=0)  # BUG 1
        stop = bool(flag.item())
    return stop


@torch.no_grad()
def validate(model, loader, device):
    model.eval()
    hit = total = 0
    for x, y in loader:
        hit += (model(x.to(device)).argmax(1) == y.to(device)).sum().item()
        total += y.numel()
    return hit / max(total, 1)


def train(opt):
    device = torch.device("cuda", max(LOCAL_RANK, 0))
    torch.cuda.set_device(device)
    save_dir = Path(opt.save_dir)
    if RANK in (-1, 0):
        (save_dir / "weights").mkdir(parents=True, exist_ok=True)

    train_set = load_images(Path(opt.data), "train")
    model = nn.Sequential(nn.Conv2d(3, 32, 3, 2), nn.BatchNorm2d(32), nn.SiLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 80)).to(device)
    ema = ModelEMA(model) if RANK in (-1, 0) else None
    val_loader = None
    if RANK in (-1, 0):
        val_loader = DataLoader(TensorDataset(*[t[:256] for t in train_set.tensors]), batch_size=64)
    if RANK != -1:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        model = DDP(model, device_ids=[LOCAL_RANK], output_device=LOCAL_RANK)

    sampler = DistributedSampler(train_set, shuffle=True) if RANK != -1 else None
    loader = DataLoader(train_set, batch_size=opt.batch_size // WORLD_SIZE, sampler=sampler, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.lr, momentum=0.937, nesterov=True)
    stopper = EarlyStopping(opt.patience)
    t0 = time.time()

    for epoch in range(opt.epochs):
        model.train()
        if sampler is not None:
            sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if ema:
                ema.update(model.module if RANK != -1 else model)

        if RANK in (-1, 0):
            fitness = validate(ema.ema, val_loader, device)
            ckpt = {"epoch": epoch, "ema": ema.ema.state_dict(), "opt": optimizer.state_dict()}
            torch.save(ckpt, save_dir / "weights" / "last.pt")
            if stopper.best_fitness <= fitness:
                torch.save(ckpt, save_dir / "weights" / "best.pt")
            if stopper(epoch, fitness):  # BUG 1
                break

        if budget_spent(t0, opt.max_hours, device):
            break


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="/data/coco_cache")
    p.add_argument("--save-dir", default="runs/exp")
    p.add_argument("--epochs", type=int, default=300)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--patience", type=int, default=30)
    p.add_argument("--max-hours", type=float)
    opt = p.parse_args()
    if LOCAL_RANK != -1:
        torch.cuda.set_device(LOCAL_RANK)
        dist.init_process_group(backend="nccl")
    train(opt)
    if RANK != -1:
        dist.destroy_process_group()
