"""Contrastive image-text training from tar shards."""
import argparse
import os

import open_clip
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from image_stream import StreamConfig, build_stream


class ClipTrainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        model, _, _ = open_clip.create_model_and_transforms(args.arch)
        self.tokenizer = open_clip.get_tokenizer(args.arch)
        self.model = DDP(model.to(self.device), device_ids=[self.device.index])
        self.opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.2)
        cfg = StreamConfig(args.urls, args.samples, args.batch_size)
        self.loader = build_stream(cfg, lambda t: self.tokenizer([t])[0], dist.get_world_size())

    def _loss(self, images, texts):
        img, txt, scale = self.model(images, texts)
        logits = scale * img @ txt.t()
        labels = torch.arange(len(logits), device=self.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2

    def epoch(self, number):
        self.model.train()
        for step, (images, texts) in enumerate(self.loader):
            loss = self._loss(images.to(self.device), texts.to(self.device))
            loss.backward()
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)
            if step % 100 == 0 and dist.get_rank() == 0:
                print(f"epoch {number} step {step} loss {loss.item():.4f}")

    def save(self, number):
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), f"{self.args.out}/epoch_{number}.pt")
        dist.barrier()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--urls", required=True)
    p.add_argument("--samples", type=int, required=True)
    p.add_argument("--batch_size", type=int, default=256)
    p.add_argument("--arch", default="ViT-B-32")
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--epochs", type=int, default=32)
    p.add_argument("--out", default=".")
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    trainer = ClipTrainer(args)
    for number in range(args.epochs):
        trainer.epoch(number)
        trainer.save(number)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
