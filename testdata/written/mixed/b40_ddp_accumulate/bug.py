"""DDP trainer with gradient accumulation and main-process validation."""
import contextlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP


class ImageTrainer:
    def __init__(self, cfg, local_rank):
        self.cfg = cfg
        net = torchvision.models.resnet50(num_classes=cfg.num_classes).cuda()
        self.model = DDP(net, device_ids=[local_rank])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=cfg.lr)

    def train_accumulated(self, loader):
        for step, (x, y) in enumerate(loader):
            last = (step + 1) % self.cfg.accumulate == 0
            ctx = contextlib.nullcontext() if last else self.model.no_sync()
            with ctx:
                F.cross_entropy(self.model(x.cuda()), y.cuda()).backward()
            if last:
                self.optimizer.step()
                self.optimizer.zero_grad()

    def train_weighted(self, loader):
        for x, y, weight in loader:
            light = bool((weight > 0).float().mean() < self.cfg.min_share)
            ctx = self.model.no_sync() if light else contextlib.nullcontext()
            with ctx:
                losses = F.cross_entropy(self.model(x.cuda()), y.cuda(), reduction="none")
                (losses * weight.cuda()).mean().backward()  # BUG 1
            self.optimizer.step()
            self.optimizer.zero_grad()

    @torch.no_grad()
    def _accuracy(self, module, loader):
        module.eval()
        hits = [(module(x.cuda()).argmax(-1) == y.cuda()).float().mean() for x, y in loader]
        module.train()
        return torch.stack(hits).mean().item()

    def quick_check(self, loader):
        if dist.get_rank() == 0:
            print("quick", self._accuracy(self.model.module, loader))
        dist.barrier()

    def full_check(self, loader):
        if dist.get_rank() == 0:
            print("full", self._accuracy(self.model, loader))  # BUG 2
        dist.barrier()
