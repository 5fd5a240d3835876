import logging
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from asr.dataset import LibriDataset, pad_collate
from asr.model import Conformer

logger = logging.getLogger("asr.train")


@dataclass
class Config:
    manifest: str = "data/train.jsonl"
    epochs: int = 50
    batch_size: int = 24
    lr: float = 5e-4
    warmup: int = 10000
    log_every: int = 100


class CTCTrainer:
    def __init__(self, cfg, device):
        self.cfg = cfg
        self.device = device
        net = Conformer(80, 5000).to(device)
        self.net = DistributedDataParallel(net, device_ids=[device.index])
        self.optim = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.LambdaLR(
            self.optim, lambda s: min((s + 1) ** -0.5, (s + 1) * cfg.warmup ** -1.5)
        )
        self.criterion = torch.nn.CTCLoss(zero_infinity=True)
        self.step = 0

    def train_step(self, batch):
        feats, feat_lens, labels, label_lens = (x.to(self.device) for x in batch)
        logp, out_lens = self.net(feats, feat_lens)
        loss = self.criterion(logp.transpose(0, 1), labels, out_lens, label_lens)
        self.optim.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optim.step()
        self.sched.step()
        return loss.detach()

    def run_epoch(self, loader):
        self.net.train()
        for batch in loader:
            try:
                loss = self.train_step(batch)
            except torch.cuda.OutOfMemoryError:
                shape = tuple(batch[0].shape)
                logger.error("out of memory on batch %s, lower batch_size", shape)
                raise
            self.step += 1
            if self.step % self.cfg.log_every == 0:
                logger.info("step %d loss %.3f lr %.2e", self.step, loss.item(), self.sched.get_last_lr()[0])


def main():
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group(backend="nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    cfg = Config()
    trainer = CTCTrainer(cfg, device)
    dataset = LibriDataset(cfg.manifest)
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True)
    loader = DataLoader(dataset, cfg.batch_size, sampler=sampler, collate_fn=pad_collate, num_workers=8)

    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        trainer.run_epoch(loader)
        if dist.get_rank() == 0:
            torch.save(trainer.net.module.state_dict(), f"conformer_{epoch:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
