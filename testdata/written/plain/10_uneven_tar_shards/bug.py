import argparse
import glob
import io
import itertools
import json
import os
import tarfile

import torch
import torch.distributed as dist
from PIL import Image
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset
from torchvision import transforms as T
from torchvision.models import resnet50


class TarShards(IterableDataset):
    def __init__(self, pattern, rank, world):
        self.urls = sorted(glob.glob(pattern))[rank::world]  # BUG
        self.tf = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])

    def count(self):
        total = 0
        for url in self.urls:
            with open(url.replace(".tar", ".json")) as f:
                total += json.load(f)["samples"]
        return total

    def __iter__(self):
        for url in self.urls:
            with tarfile.open(url) as tar:
                pending = {}
                for member in tar:
                    key, ext = os.path.splitext(member.name)
                    pending.setdefault(key, {})[ext] = tar.extractfile(member).read()
                    if len(pending[key]) == 2:
                        item = pending.pop(key)
                        img = Image.open(io.BytesIO(item[".jpg"])).convert("RGB")
                        yield self.tf(img), int(item[".cls"])


class Runner:
    def __init__(self, args):
        self.args = args
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        self.model = DDP(resnet50(num_classes=1000).cuda(), device_ids=[self.local_rank])
        self.opt = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
        self.data = TarShards(args.shards, dist.get_rank(), dist.get_world_size())
        self.loader = DataLoader(self.data, batch_size=args.batch, num_workers=1, drop_last=True)

    def epoch(self, n):
        self.model.train()
        for i, (x, y) in enumerate(self.loader):  # BUG
            logits = self.model(x.cuda(non_blocking=True))
            loss = torch.nn.functional.cross_entropy(logits, y.cuda(non_blocking=True))
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            if i % 100 == 0 and self.local_rank == 0:
                print(f"epoch {n} batch {i} loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--shards", required=True)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--lr", type=float, default=0.1)
    ap.add_argument("--epochs", type=int, default=90)
    args = ap.parse_args()
    dist.init_process_group("nccl")
    runner = Runner(args)
    for n in range(args.epochs):
        runner.epoch(n)
    dist.destroy_process_group()
