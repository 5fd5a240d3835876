import logging
import os
from types import SimpleNamespace

import numpy as np
import torch
import torch.distributed as dist
from sklearn.metrics import roc_auc_score
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from cxr.data import ChestXrays
from cxr.model import densenet_cxr

log = logging.getLogger("cxr")


class ChestTrainer:
    def __init__(self, opt):
        self.opt = opt
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(self.device)
        self.model = DDP(densenet_cxr(opt.labels).to(self.device), device_ids=[self.device.index])
        self.optim = torch.optim.Adam(self.model.parameters(), lr=opt.lr)
        self.best_auc = 0.0
        self.val_auc = 0.0

    def collect(self, tensor):
        parts = [torch.empty_like(tensor) for _ in range(self.world)] if self.rank == 0 else None
        dist.gather(tensor, parts, dst=0)
        return torch.cat(parts).cpu().numpy() if parts is not None else None

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        probs, truth = [], []
        for x, y in loader:
            probs.append(self.model.module(x.to(self.device)).sigmoid())
            truth.append(y.to(self.device))
        probs, truth = self.collect(torch.cat(probs)), self.collect(torch.cat(truth))
        if self.rank == 0:
            aucs = [roc_auc_score(truth[:, c], probs[:, c]) for c in range(self.opt.labels)]
            self.val_auc = float(np.mean(aucs))
            log.info("mean AUC %.4f", self.val_auc)

    def snapshot(self, name):
        path = os.path.join(self.opt.out, name)
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), path)
        dist.barrier()
        return path

    def train_epoch(self, loader, epoch):
        loader.sampler.set_epoch(epoch)
        self.model.train()
        for x, y in loader:
            logits = self.model(x.to(self.device))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y.float().to(self.device))
            self.optim.zero_grad(set_to_none=True)
            loss.backward()
            self.optim.step()

    def fit(self, train_dl, val_dl):
        for epoch in range(self.opt.epochs):
            self.train_epoch(train_dl, epoch)
            self.evaluate(val_dl)
            if self.val_auc > self.best_auc:  # BUG
                self.best_auc = self.val_auc
                self.snapshot("best.pt")  # BUG
        self.snapshot("last.pt")


def main():
    logging.basicConfig(level=logging.INFO)
    opt = SimpleNamespace(lr=1e-4, epochs=15, labels=14, batch=24, out=os.environ.get("OUT", "runs"))
    dist.init_process_group("nccl")
    trainer = ChestTrainer(opt)
    loaders = []
    for split in ("train", "valid"):
        ds = ChestXrays(os.environ["CXR_ROOT"], split)
        sampler = DistributedSampler(ds, shuffle=split == "train")
        loaders.append(DataLoader(ds, opt.batch, sampler=sampler, num_workers=6))
    trainer.fit(*loaders)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
