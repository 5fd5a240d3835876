import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

from det.engine import evaluate, train_one_epoch
from det.losses import SetCriterion

Q = 20


class Mixed(Dataset):
    """Boxes everywhere, masks only for the part that was annotated with polygons."""

    def __init__(self, n, mask_share=0.3):
        self.n, self.mask_share = n, mask_share

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        k = int(torch.randint(1, 9, (1,), generator=g))
        t = {"labels": torch.randint(0, 91, (k,), generator=g), "boxes": torch.rand(k, 4, generator=g)}
        if torch.rand(1, generator=g) < self.mask_share:
            t["masks"] = (torch.rand(k, 28 * 28, generator=g) > 0.5).float()
        return torch.randn(3, 128, 128, generator=g), t


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 128, 16, 16), nn.GELU(), nn.Flatten(), nn.Linear(128 * 64, 256))
        self.cls, self.box, self.mask = nn.Linear(256, Q * 91), nn.Linear(256, Q * 4), nn.Linear(256, Q * 784)

    def forward(self, x):
        h = self.body(x)
        return {"logits": self.cls(h).view(-1, Q, 91), "boxes": self.box(h).sigmoid().view(-1, Q, 4),
                "masks": self.mask(h).view(-1, Q, 784)}


def collate(batch):
    return torch.stack([b[0] for b in batch]), [b[1] for b in batch]


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    train, val = Mixed(50_000), Mixed(1_000)
    sampler = DistributedSampler(train)
    loader = DataLoader(train, 2, sampler=sampler, collate_fn=collate, drop_last=True, num_workers=2)
    val_loader = DataLoader(val, 2, sampler=DistributedSampler(val, shuffle=False), collate_fn=collate)
    net = Net().to(device)
    model = DDP(net, device_ids=[device.index])
    criterion = SetCriterion(91, {"loss_cls": 2.0, "loss_bbox": 5.0, "loss_mask": 1.0})
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for epoch in range(50):
        sampler.set_epoch(epoch)
        train_one_epoch(model, criterion, loader, opt, device, epoch)
        stats = evaluate(net, criterion, val_loader, device)
        if dist.get_rank() == 0:
            print(epoch, stats)
            torch.save(net.state_dict(), "detr.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
