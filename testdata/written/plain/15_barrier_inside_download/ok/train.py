import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.models import vit_b_16

from fetch import ensure_archive
from parallel import is_chief, setup, world_barrier


def train(root, epochs):
    device = setup()
    dataset = ensure_archive(root, "food101")
    model = DDP(vit_b_16(num_classes=101).to(device), device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        if is_chief():
            torch.save(model.module.state_dict(), os.path.join(root, f"vit_{epoch}.pt"))
        world_barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]))
