import os
import random
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed.nn.functional as distF
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from clipmix.data import CaptionedImages
from clipmix.model import DualEncoder


@dataclass
class Hparams:
    root: str = field(default_factory=lambda: os.environ["IMAGES"])
    batch: int = 256
    lr: float = 5e-4
    epochs: int = 30
    global_loss_prob: float = 0.5
    seed: int = 42


def set_seed(hp):
    seed = hp.seed + dist.get_rank()
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def contrastive(img, txt, scale):
    logits = scale * img @ txt.t()
    labels = torch.arange(img.size(0), device=img.device)
    return 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))


class Objective:
    """In-batch loss, with the job-wide batch used for a share of the steps."""

    def __init__(self, hp):
        self.prob = hp.global_loss_prob
        self.coin = random.Random(hp.seed)

    def __call__(self, img, txt, scale):
        if self.coin.random() < self.prob:
            img = torch.cat(distF.all_gather(img))
            txt = torch.cat(distF.all_gather(txt))
        return contrastive(img, txt, scale)


def main():
    hp = Hparams()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    set_seed(hp)

    model = DDP(DualEncoder().to(device), device_ids=[device.index])
    objective = Objective(hp)
    optim = torch.optim.AdamW(model.parameters(), lr=hp.lr, weight_decay=0.2)
    data = CaptionedImages(hp.root)
    sampler = DistributedSampler(data, seed=hp.seed)
    loader = DataLoader(data, hp.batch, sampler=sampler, num_workers=8, drop_last=True)

    for epoch in range(hp.epochs):
        sampler.set_epoch(epoch)
        for i, (images, captions) in enumerate(loader):
            img, txt, scale = model(images.to(device), captions.to(device))
            loss = objective(F.normalize(img, dim=1), F.normalize(txt, dim=1), scale)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            optim.step()
            if i % 100 == 0 and dist.get_rank() == 0:
                print(f"epoch {epoch} it {i} loss {loss.item():.4f}", flush=True)
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), f"dual_{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
