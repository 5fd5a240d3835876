import argparse
import collections
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from vqa.data import QUESTION_TYPES, VQADataset
from vqa.model import FusionNet


class MeterBank:
    """Running means by name; `synchronize` merges them over the job."""

    def __init__(self, device):
        self.device = device
        self.total = collections.OrderedDict()
        self.count = collections.OrderedDict()

    def add(self, name, value, n=1):
        self.total[name] = self.total.get(name, 0.0) + float(value) * n
        self.count[name] = self.count.get(name, 0) + n

    def synchronize(self):
        for name in self.total:
            t = torch.tensor([self.total[name], self.count[name]], dtype=torch.float64, device=self.device)
            dist.all_reduce(t)
            self.total[name], self.count[name] = t[0].item(), int(t[1].item())

    def means(self):
        return {k: self.total[k] / max(self.count[k], 1) for k in self.total}


@torch.no_grad()
def evaluate(net, loader, device):
    bank = MeterBank(device)
    bank.add("accuracy", 0.0, 0)
    for q in QUESTION_TYPES:
        bank.add(f"accuracy/{q}", 0.0, 0)
    net.eval()
    for images, questions, answers, qtypes in loader:
        logits = net(images.to(device), questions.to(device))
        hit = logits.argmax(1).cpu().eq(answers)
        bank.add("accuracy", hit.float().mean(), hit.numel())
        for q in qtypes.unique().tolist():
            sel = hit[qtypes == q]
            bank.add(f"accuracy/{QUESTION_TYPES[q]}", sel.float().mean(), sel.numel())
    bank.synchronize()
    return bank.means()


def main(args):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)

    model = DDP(FusionNet(args.width).to(device), device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    train_set, val_set = VQADataset(args.root, "train"), VQADataset(args.root, "val")
    train_sampler = DistributedSampler(train_set)
    train_dl = DataLoader(train_set, args.batch, sampler=train_sampler, num_workers=4)
    val_dl = DataLoader(val_set, args.batch, sampler=DistributedSampler(val_set, shuffle=False))

    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        model.train()
        for images, questions, answers, _ in train_dl:
            logits = model(images.to(device), questions.to(device))
            loss = torch.nn.functional.cross_entropy(logits, answers.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        scores = evaluate(model.module, val_dl, device)
        if dist.get_rank() == 0:
            print(epoch, {k: round(v, 4) for k, v in scores.items()}, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", required=True)
    ap.add_argument("--width", type=int, default=1024)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-4)
    ap.add_argument("--epochs", type=int, default=12)
    main(ap.parse_args())
