"""timm-style training script with AMP and gradient accumulation."""
import argparse
import logging
import math
import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as NativeDDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

_logger = logging.getLogger("train")


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum = self.count = 0.0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


class FakeImages(Dataset):
    def __init__(self, n, classes):
        self.n, self.classes = n, classes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(3, 96, 96, generator=g), i % self.classes


def reduce_tensor(t, n):
    rt = t.clone()
    dist.all_reduce(rt)
    return rt / n


def is_primary(args):
    return args.rank == 0


def dispatch_clip_grad(params, value):
    return nn.utils.clip_grad_norm_(params, value)


def train_one_epoch(epoch, model, loader, optimizer, loss_fn, scaler, args):
    model.train()
    losses_m = AverageMeter()
    bad = 0
    accum = args.grad_accum_steps
    n_updates = len(loader) // accum
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        if i >= n_updates * accum:
            break
        need_update = (i + 1) % accum == 0
        x, y = x.to(args.device, non_blocking=True), y.to(args.device, non_blocking=True)
        with model.no_sync() if not need_update else nullcontext():
            with torch.autocast("cuda", dtype=torch.float16):
                loss = loss_fn(model(x), y) / accum
            if not math.isfinite(loss.item()):  # BUG 1
                bad += 1
                _logger.warning("rank %d: loss is %s at batch %d, skipped", args.rank, loss.item(), i)
                continue
            scaler.scale(loss).backward()  # BUG 1
        losses_m.update(loss.item() * accum, x.size(0))
        if not need_update:
            continue
        scaler.unscale_(optimizer)
        dispatch_clip_grad(model.parameters(), args.clip_grad)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        if (i + 1) % (accum * args.log_interval) == 0:
            avg = reduce_tensor(loss.data * accum, args.world_size)
            if is_primary(args):
                _logger.info("epoch %d [%d/%d] loss %.4f", epoch, i + 1, len(loader), avg.item())
    bad = reduce_tensor(torch.tensor(float(bad), device=args.device), 1).item()
    if bad > args.max_bad:
        raise RuntimeError(f"{int(bad)} batches with a non-finite loss in epoch {epoch}")
    return losses_m.avg


@torch.no_grad()
def validate(model, loader, args):
    model.eval()
    top1, count = torch.zeros(1, device=args.device), torch.zeros(1, device=args.device)
    for x, y in loader:
        out = model(x.to(args.device))
        if not torch.isfinite(out).all():
            continue
        top1 += (out.argmax(1) == y.to(args.device)).sum()
        count += y.numel()
    dist.all_reduce(top1)
    dist.all_reduce(count)
    return (100 * top1 / count.clamp(min=1)).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=100)
    p.add_argument("-b", "--batch-size", type=int, default=128)
    p.add_argument("--grad-accum-steps", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.5)
    p.add_argument("--clip-grad", type=float, default=1.0)
    p.add_argument("--log-interval", type=int, default=50)
    p.add_argument("--max-bad", type=int, default=100)
    p.add_argument("--output", default="output/train")
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("nccl")
    args.rank, args.world_size = dist.get_rank(), dist.get_world_size()
    args.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(args.device)
    torch.manual_seed(42 + args.rank)

    model = nn.Sequential(nn.Conv2d(3, 64, 4, 4), nn.GELU(), nn.Conv2d(64, 256, 3, 2), nn.GELU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000)).to(args.device)
    model = NativeDDP(model, device_ids=[args.device.index])
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    scaler = torch.amp.GradScaler("cuda")
    data = FakeImages(200_000, 1000)
    sampler = DistributedSampler(data)
    train_loader = DataLoader(data, args.batch_size, sampler=sampler, num_workers=4, drop_last=True)
    val = FakeImages(10_000, 1000)
    val_loader = DataLoader(val, args.batch_size, sampler=DistributedSampler(val, shuffle=False), num_workers=2)
    if is_primary(args):
        os.makedirs(args.output, exist_ok=True)

    best = 0.0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        loss = train_one_epoch(epoch, model, train_loader, optimizer, nn.CrossEntropyLoss(), scaler, args)
        acc = validate(model, val_loader, args)
        sched.step()
        if is_primary(args):
            _logger.info("epoch %d loss %.4f top1 %.2f", epoch, loss, acc)
            if acc > best:
                best = acc
                torch.save(model.module.state_dict(), os.path.join(args.output, "model_best.pth"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
