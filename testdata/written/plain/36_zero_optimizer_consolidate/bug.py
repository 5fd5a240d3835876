import os
import shutil
from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from weather.data import ERA5Pairs
from weather.model import SphericalUNet


def get_context():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return SimpleNamespace(
        local=local,
        device=torch.device("cuda", local),
        rank=dist.get_rank(),
        world=dist.get_world_size(),
        main=dist.get_rank() == 0,
    )


def latitude_weighted_mse(pred, target, weights):
    return ((pred - target).square() * weights[None, None, :, None]).mean()


class Checkpoint:
    def __init__(self, path, ctx):
        self.path = path
        self.ctx = ctx

    def state(self, model, optim, sched, epoch):
        optim.consolidate_state_dict(to=0)  # BUG
        return {
            "epoch": epoch,
            "model": model.module.state_dict(),
            "optim": optim.state_dict(),
            "sched": sched.state_dict(),
        }

    def save(self, *parts):
        blob = self.state(*parts)
        tmp = self.path + ".part"
        torch.save(blob, tmp)
        if os.path.exists(self.path):
            shutil.copyfile(self.path, self.path + ".prev")
        os.replace(tmp, self.path)


def main():
    ctx = get_context()
    data = ERA5Pairs(os.environ["ERA5"], lead_hours=6)
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=2, sampler=sampler, num_workers=10, pin_memory=True)
    weights = data.latitude_weights().to(ctx.device)

    model = DDP(SphericalUNet(data.channels).to(ctx.device), device_ids=[ctx.local])
    optim = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=2.5e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, T_max=100)
    ckpt = Checkpoint(os.path.join(os.environ.get("OUT", "."), "unet.pt"), ctx)

    for epoch in range(100):
        sampler.set_epoch(epoch)
        for now, later in loader:
            pred = model(now.to(ctx.device, non_blocking=True))
            loss = latitude_weighted_mse(pred, later.to(ctx.device, non_blocking=True), weights)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            optim.step()
        sched.step()
        if ctx.main:  # BUG
            ckpt.save(model, optim, sched, epoch)  # BUG
            print(f"epoch {epoch} loss {loss.item():.5f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
