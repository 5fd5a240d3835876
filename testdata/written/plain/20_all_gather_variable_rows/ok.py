import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from reid.data import PersonCrops
from reid.model import OSNet


@torch.no_grad()
def concat_all_gather(x):
    out = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(out, x.contiguous())
    return torch.cat(out)


class MemoryBank(nn.Module):
    def __init__(self, dim, size, conf):
        super().__init__()
        self.conf = conf
        self.register_buffer("feats", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("ids", torch.full((size,), -1, dtype=torch.long))
        self.ptr = 0

    @torch.no_grad()
    def enqueue(self, feats, ids, quality):
        feats, ids = concat_all_gather(feats), concat_all_gather(ids)
        keep = concat_all_gather(quality) > self.conf
        feats, ids = feats[keep], ids[keep]
        slots = (torch.arange(ids.numel(), device=ids.device) + self.ptr) % self.feats.size(0)
        self.feats[slots] = feats
        self.ids[slots] = ids
        self.ptr = int((self.ptr + ids.numel()) % self.feats.size(0))

    def loss(self, feats, ids, tau=0.07):
        sim = feats @ self.feats.t() / tau
        pos = ids[:, None].eq(self.ids[None])
        has = pos.any(1).float()
        logp = sim.log_softmax(1).masked_fill(~pos, 0.0).sum(1) / pos.sum(1).clamp(min=1)
        return -(logp * has).sum() / has.sum().clamp(min=1)


def main(args):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    torch.manual_seed(args.seed)

    net = DDP(OSNet(dim=512).to(device), device_ids=[local_rank])
    bank = MemoryBank(512, args.bank, args.conf).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    data = PersonCrops(args.root)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=8, drop_last=True)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for crops, ids, quality in loader:
            feats = F.normalize(net(crops.to(device)), dim=1)
            ids, quality = ids.to(device), quality.to(device)
            loss = bank.loss(feats, ids)
            opt.zero_grad()
            loss.backward()
            opt.step()
            bank.enqueue(feats.detach(), ids, quality)
        if dist.get_rank() == 0:
            torch.save(net.module.state_dict(), f"{args.out}/osnet_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--out", default=".")
    ap.add_argument("--bank", type=int, default=16384)
    ap.add_argument("--conf", type=float, default=0.6)
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
