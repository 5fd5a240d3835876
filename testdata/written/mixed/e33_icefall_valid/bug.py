"""Icefall style recipe: train with a length-bucketing sampler, validate every few batches."""
import argparse
import logging
import os
from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class MetricsTracker(defaultdict):
    def __init__(self):
        super().__init__(float)

    def __add__(self, other):
        out = MetricsTracker()
        for src in (self, other):
            for k, v in src.items():
                out[k] += v
        return out

    def decay(self, alpha):
        out = MetricsTracker()
        for k, v in self.items():
            out[k] = v * alpha
        return out

    def __str__(self):
        n = max(self["frames"], 1)
        return ", ".join(f"{k}={v / n:.4f}" for k, v in self.items() if k != "frames")

    def reduce(self, device):
        keys = sorted(self.keys())
        s = torch.tensor([float(self[k]) for k in keys], device=device)
        dist.all_reduce(s, op=dist.ReduceOp.SUM)
        for k, v in zip(keys, s.cpu().tolist()):
            self[k] = v


class DynamicBucketing:
    """Batches of similar length up to max_duration; all ranks make the same plan, then take their part."""

    def __init__(self, n, max_frames, shuffle, rank, world):
        self.n, self.max_frames, self.shuffle = n, max_frames, shuffle
        self.rank, self.world, self.epoch = rank, world, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _plan(self):
        g = torch.Generator().manual_seed(self.epoch if self.shuffle else 0)
        lens = torch.randint(100, 2000, (self.n,), generator=g).sort().values.tolist()
        batches, cur = [], []
        for length in lens:
            if cur and length * (len(cur) + 1) > self.max_frames:
                batches.append(cur)
                cur = []
            cur.append(length)
        batches.append(cur)
        order = torch.randperm(len(batches), generator=g).tolist() if self.shuffle else range(len(batches))
        return [batches[i] for i in order]

    def __iter__(self):
        plan = self._plan()
        usable = len(plan) // self.world * self.world
        for i in range(self.rank, usable, self.world):
            lens = plan[i]
            x = torch.randn(len(lens), max(lens), 80)
            yield {"inputs": x, "lens": torch.tensor(lens), "target": torch.randint(0, 500, (len(lens),))}


class Zipper(nn.Module):
    def __init__(self, dim=256):
        super().__init__()
        self.conv = nn.Conv1d(80, dim, 7, stride=4)
        self.enc = nn.GRU(dim, dim, 2, batch_first=True)
        self.out = nn.Linear(dim, 500)

    def forward(self, x):
        h, _ = self.enc(self.conv(x.transpose(1, 2)).transpose(1, 2))
        return self.out(h.mean(1))


def compute_loss(model, batch, device, training):
    with torch.set_grad_enabled(training):
        logits = model(batch["inputs"].to(device))
        loss = nn.functional.cross_entropy(logits, batch["target"].to(device), reduction="sum")
    info = MetricsTracker()
    info["frames"] = batch["lens"].sum().item()
    info["loss"] = loss.detach().item()
    return loss, info


def compute_validation_loss(params, model, valid_dl, device):
    net = model.module
    net.eval()
    tot = MetricsTracker()
    for batch in valid_dl:
        _, info = compute_loss(net, batch, device, training=False)
        tot = tot + info
    tot.reduce(device)  # BUG 1
    loss = tot["loss"] / tot["frames"]
    if loss < params.best_valid_loss:
        params.best_valid_loss = loss
    net.train()
    return tot


def train_one_epoch(params, model, opt, train_dl, valid_dl, device):
    model.train()
    tot = MetricsTracker()
    for batch_idx, batch in enumerate(train_dl):
        params.batch_idx_train += 1
        loss, info = compute_loss(model, batch, device, training=True)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        tot = tot.decay(1 - 1 / params.reset_interval) + info
        params.frames_since_valid += info["frames"]
        if batch_idx % params.log_interval == 0 and params.rank == 0:
            logging.info("epoch %d batch %d %s", params.cur_epoch, batch_idx, tot)
        if batch_idx > 0 and batch_idx % params.sync_interval == 0:
            synced = tot + MetricsTracker()
            synced.reduce(device)
            if params.rank == 0:
                logging.info("all ranks: %s", synced)
        if params.frames_since_valid >= params.valid_frames:  # BUG 1
            params.frames_since_valid = 0
            valid = compute_validation_loss(params, model, valid_dl, device)
            if params.rank == 0:
                logging.info("validation: %s", valid)
        if params.rank == 0 and params.batch_idx_train % params.save_every_n == 0:
            torch.save({"model": model.module.state_dict(), "batch": params.batch_idx_train},
                       os.path.join(params.exp_dir, f"checkpoint-{params.batch_idx_train}.pt"))


def scan_pessimistic_batches(net, dl, device):
    """Try the widest batch once before training, to fail early."""
    widest = max(dl, key=lambda b: b["inputs"].numel())
    try:
        loss, _ = compute_loss(net, widest, device, training=True)
        loss.backward()
        net.zero_grad()
    except torch.cuda.OutOfMemoryError:
        logging.error("max-frames is too large: %s", tuple(widest["inputs"].shape))
        torch.cuda.empty_cache()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--exp-dir", default="/shared/zip")
    p.add_argument("--num-epochs", type=int, default=30)
    p.add_argument("--max-frames", type=int, default=60_000)
    p.add_argument("--log-interval", type=int, default=50)
    p.add_argument("--sync-interval", type=int, default=200)
    p.add_argument("--reset-interval", type=int, default=200)
    p.add_argument("--valid-frames", type=int, default=50_000_000)
    p.add_argument("--save-every-n", type=int, default=4000)
    params = p.parse_args()
    dist.init_process_group("nccl")
    params.rank, world = dist.get_rank(), dist.get_world_size()
    params.batch_idx_train, params.frames_since_valid, params.best_valid_loss = 0, 0, float("inf")
    logging.basicConfig(level=logging.INFO)
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    if params.rank == 0:
        os.makedirs(params.exp_dir, exist_ok=True)
    train_dl = DynamicBucketing(100_000, params.max_frames, True, params.rank, world)
    valid_dl = DynamicBucketing(2_000, params.max_frames, False, params.rank, world)
    net = Zipper().to(device)
    scan_pessimistic_batches(net, valid_dl, device)
    model = DDP(net, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(1, params.num_epochs + 1):
        params.cur_epoch = epoch
        train_dl.set_epoch(epoch - 1)
        train_one_epoch(params, model, opt, train_dl, valid_dl, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
