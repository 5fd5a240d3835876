import logging
from dataclasses import dataclass

import torch
import torch.nn as nn

from fairlite import distributed_utils as du
from fairlite.trainer import Trainer


@dataclass
class Config:
    vocab: int = 32000
    dim: int = 512
    lr: float = 5e-4
    clip_norm: float = 1.0
    update_freq: int = 4
    max_epoch: int = 10
    save: str = "/ckpt/last.pt"


class TranslationTask:
    pad = 1

    def __init__(self, cfg):
        self.cfg = cfg

    def batches(self, epoch, n=400):
        g = torch.Generator().manual_seed(epoch)
        rank, world = du.get_rank(), du.get_world_size()
        for i in range(n * world):
            length = int(torch.randint(16, 512, (1,), generator=g))
            x = torch.randint(4, self.cfg.vocab, (16, length), generator=g)
            if i % world == rank:
                yield {"src": x, "target": x.roll(-1, 1)}


def grouped(itr, n):
    chunk = []
    for x in itr:
        chunk.append(x)
        if len(chunk) == n:
            yield chunk
            chunk = []


def main():
    logging.basicConfig(level=logging.INFO if du.is_master() else logging.WARNING)
    cfg = Config()
    du.init()
    task = TranslationTask(cfg)
    model = nn.Sequential(nn.Embedding(cfg.vocab, cfg.dim), nn.Linear(cfg.dim, cfg.vocab))
    trainer = Trainer(cfg, task, model, nn.CrossEntropyLoss(ignore_index=task.pad))
    dummy = torch.full((1, 16), 4)
    trainer.set_dummy({"src": dummy, "target": dummy})

    for epoch in range(1, cfg.max_epoch + 1):
        for samples in grouped(task.batches(epoch), cfg.update_freq):
            log = trainer.train_step(samples)
            if du.is_master() and trainer.num_updates % 100 == 0:
                logging.info("update %d loss/tok %.4f", trainer.num_updates, log["loss"] / max(log["ntokens"], 1))
        stats = trainer.validate(task.batches(10_000, n=20))
        if du.is_master():
            logging.info("epoch %d valid %.4f", epoch, stats["loss"] / max(stats["count"], 1))
        trainer.save(cfg.save)
    versions = du.all_gather_list(torch.__version__)
    assert len(set(versions)) == 1, versions


if __name__ == "__main__":
    main()
