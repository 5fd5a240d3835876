import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from checkpoints import CheckpointManager
from segdata import CityscapesCrops
from segmodel import DeepLab


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--root", required=True)
    p.add_argument("--ckpt-dir", default="/local/scratch/deeplab")
    p.add_argument("--epochs", type=int, default=120)
    p.add_argument("--bs", type=int, default=4)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--resume", action="store_true")
    return p.parse_args()


def train_one_epoch(model, loader, opt, device):
    criterion = nn.CrossEntropyLoss(ignore_index=255)
    model.train()
    for images, masks in loader:
        images, masks = images.to(device), masks.to(device)
        loss = criterion(model(images), masks)
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    args = parse_args()
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)

    net = DeepLab(num_classes=19).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    manager = CheckpointManager(args.ckpt_dir, keep=3)

    start_epoch = 0
    if args.resume:
        start_epoch = manager.restore(net, opt, device)

    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(net), device_ids=[local])
    ds = CityscapesCrops(args.root, "train")
    sampler = DistributedSampler(ds)
    loader = DataLoader(ds, args.bs, sampler=sampler, num_workers=6, drop_last=True)

    for epoch in range(start_epoch, args.epochs):
        sampler.set_epoch(epoch)
        train_one_epoch(model, loader, opt, device)
        if dist.get_rank() == 0:
            manager.save(epoch, model.module, opt)

    dist.destroy_process_group()


if __name__ == "__main__":
    main()
