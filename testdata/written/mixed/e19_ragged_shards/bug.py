"""CLIP style contrastive training from tar-like shards of image/text pairs."""
import argparse
import glob
import io
import math
import os
import tarfile
from typing import Iterator

import torch
import torch.distributed as dist
import torch.distributed.nn
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def rank0():
    return dist.get_rank() == 0


def list_shards(pattern):
    """Rank 0 lists the bucket; all ranks get the same order."""
    box = [sorted(glob.glob(pattern)) if rank0() else None]
    dist.broadcast_object_list(box, src=0)
    if len(box[0]) < dist.get_world_size():
        raise ValueError(f"{len(box[0])} shards for {dist.get_world_size()} ranks")
    return box[0]


class ShardedPairs(IterableDataset):
    def __init__(self, shards, seed=0, min_tokens=3):
        super().__init__()
        self.shards, self.seed, self.min_tokens, self.epoch = shards, seed, min_tokens, 0

    def _my_shards(self):
        g = torch.Generator().manual_seed(self.seed + self.epoch)
        order = [self.shards[i] for i in torch.randperm(len(self.shards), generator=g)]
        order = order[dist.get_rank()::dist.get_world_size()] if dist.is_initialized() else order
        info = get_worker_info()
        return order if info is None else order[info.id::info.num_workers]

    def _read(self, path):
        with tarfile.open(path) as tar:
            for member in tar:
                if not member.name.endswith(".pt"):
                    continue
                try:
                    yield torch.load(io.BytesIO(tar.extractfile(member).read()))
                except (EOFError, RuntimeError) as e:
                    print(f"skip {path}:{member.name}: {e}", flush=True)

    def __iter__(self) -> Iterator[dict]:
        for path in self._my_shards():
            for s in self._read(path):
                if (s["text"] != 0).sum() >= self.min_tokens:
                    yield s


class CLIP(nn.Module):
    def __init__(self, vocab=49408, dim=512):
        super().__init__()
        self.visual = nn.Sequential(nn.Conv2d(3, 64, 8, 8), nn.GELU(), nn.Flatten(), nn.LazyLinear(dim))
        self.text = nn.EmbeddingBag(vocab, dim, padding_idx=0)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, image, text):
        return F.normalize(self.visual(image), dim=-1), F.normalize(self.text(text), dim=-1), self.logit_scale.exp()


def clip_loss(img, txt, scale):
    all_img = torch.cat(torch.distributed.nn.all_gather(img))  # BUG 1
    all_txt = torch.cat(torch.distributed.nn.all_gather(txt))
    labels = torch.arange(len(img), device=img.device) + len(img) * dist.get_rank()
    return (F.cross_entropy(scale * img @ all_txt.t(), labels) + F.cross_entropy(scale * txt @ all_img.t(), labels)) / 2


@torch.no_grad()
def zero_shot(model, loader, device):
    """Each rank scores its part of the validation pairs, sums are reduced at the end."""
    model.eval()
    hits = torch.zeros(2, device=device)
    for batch in loader:
        img, txt, _ = model.module(batch["image"].to(device), batch["text"].to(device))
        hits[0] += ((img @ txt.t()).argmax(1) == torch.arange(len(img), device=device)).sum()
        hits[1] += len(img)
    dist.all_reduce(hits)
    model.train()
    return (hits[0] / hits[1].clamp(min=1)).item()


def train_epoch(model, loader, opt, epoch, args, device):
    for i, batch in enumerate(loader):  # BUG 1
        img, txt, scale = model(batch["image"].to(device), batch["text"].to(device))
        loss = clip_loss(img, txt, scale)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            model.module.logit_scale.clamp_(0, math.log(100))
        if i % args.log_every == 0:
            avg = loss.detach().clone()
            dist.all_reduce(avg, op=dist.ReduceOp.AVG)
            if rank0():
                print(f"epoch {epoch} batch {i} loss {avg.item():.3f}", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--train", default="/shared/cc12m/train-*.tar")
    p.add_argument("--val", default="/shared/cc12m/val-*.tar")
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--log-every", type=int, default=50)
    p.add_argument("--out", default="/shared/clip")
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)

    train = ShardedPairs(list_shards(args.train))
    val = ShardedPairs(list_shards(args.val))
    ctx = "fork" if args.workers else None
    train_loader = DataLoader(train, args.batch, num_workers=args.workers, drop_last=True, multiprocessing_context=ctx)
    val_loader = DataLoader(val, args.batch, num_workers=args.workers, multiprocessing_context=ctx)

    net = CLIP().to(device)
    net(torch.zeros(1, 3, 224, 224, device=device), torch.ones(1, 77, dtype=torch.long, device=device))
    model = DDP(net, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.2)
    for epoch in range(args.epochs):
        train.epoch = epoch
        train_epoch(model, train_loader, opt, epoch, args, device)
        acc = zero_shot(model, val_loader, device)
        if rank0():
            print(f"epoch {epoch} retrieval@1 {acc:.3f}")
            os.makedirs(args.out, exist_ok=True)
            torch.save(model.module.state_dict(), os.path.join(args.out, f"epoch{epoch}.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
