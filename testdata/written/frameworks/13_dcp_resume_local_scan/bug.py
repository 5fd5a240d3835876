"""Vision transformer pretraining that resumes from the newest complete checkpoint."""
import argparse
import logging
import os
import re
from pathlib import Path

import timm
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import (
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms
from torchvision.datasets import ImageFolder

logger = logging.getLogger("vit")
STEP_DIR = re.compile(r"^epoch_(\d+)$")


class RunFolder:
    def __init__(self, root):
        self.root = Path(root)

    def path(self, epoch):
        return self.root / f"epoch_{epoch}"

    def newest(self):
        if not self.root.is_dir():
            return None
        done = [
            int(m.group(1))
            for d in self.root.iterdir()
            if (m := STEP_DIR.match(d.name)) and (d / ".metadata").exists()
        ]
        return max(done, default=None)


class Pretraining:
    def __init__(self, args):
        self.args = args
        self.folder = RunFolder(args.scratch)
        self.model = timm.create_model(args.arch, num_classes=args.classes).cuda()
        for block in self.model.blocks:
            fully_shard(block)
        fully_shard(self.model)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr, weight_decay=0.05)
        tfm = transforms.Compose(
            [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
        )
        data = ImageFolder(os.path.join(args.data, "train"), tfm)
        self.sampler = DistributedSampler(data, shuffle=True, drop_last=True)
        self.loader = DataLoader(data, args.batch_size, sampler=self.sampler, num_workers=8, drop_last=True)

    def _state(self):
        return {
            "model": get_model_state_dict(self.model),
            "optim": get_optimizer_state_dict(self.model, self.opt),
        }

    def restore(self):
        epoch = self.folder.newest()
        if epoch is None:  # BUG
            logger.info("no checkpoint under %s, starting fresh", self.folder.root)
            return 0
        state = self._state()
        dcp.load(state, checkpoint_id=str(self.folder.path(epoch)))  # BUG
        set_model_state_dict(self.model, state["model"])
        set_optimizer_state_dict(self.model, self.opt, state["optim"])
        return epoch + 1

    def run(self):
        first = self.restore()
        for epoch in range(first, self.args.epochs):
            self.sampler.set_epoch(epoch)
            for images, labels in self.loader:
                out = self.model(images.cuda(non_blocking=True))
                loss = torch.nn.functional.cross_entropy(out, labels.cuda(non_blocking=True))
                loss.backward()
                self.opt.step()
                self.opt.zero_grad()
            dcp.save(self._state(), checkpoint_id=str(self.folder.path(epoch)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--scratch", default="/scratch/vit")
    p.add_argument("--arch", default="vit_large_patch16_224")
    p.add_argument("--classes", type=int, default=1000)
    p.add_argument("--batch_size", type=int, default=128)
    p.add_argument("--epochs", type=int, default=300)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    dist.init_process_group("cuda:nccl,cpu:gloo")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    Pretraining(args).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
