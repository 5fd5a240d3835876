import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from fabric import DistributedPrefetcher, MetricLogger


class Tower(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 512), nn.ReLU(), nn.Linear(512, n_out))
        self.hooks = []

    def watch(self, fn):
        self.hooks.append(self.net.register_forward_hook(lambda m, i, o: fn(self, o)))

    def forward(self, x):
        return self.net(x)


def train_epoch(model, loader, sampler, opt, epoch, device, log):
    sampler.set_epoch(epoch)
    pre = DistributedPrefetcher(loader, device)
    for x, y in pre:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.update(loss=loss, lr=opt.param_groups[0]["lr"])
    log.synchronize_between_processes()
    log.dump(epoch)


def activation_scale(store):
    def fn(module, out):
        store.append((module, out.detach().abs().mean()))
        del store[:-8]
    return fn


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch", type=int, default=256)
    p.add_argument("--log", default="/shared/run/log.jsonl")
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(100_000, 128), torch.randint(0, 50, (100_000,)))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=2, drop_last=True)
    net, seen = Tower(128, 50).to(device), []
    net.watch(activation_scale(seen))
    model = DDP(net, device_ids=[device.index])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    if dist.get_rank() == 0:
        os.makedirs(os.path.dirname(args.log), exist_ok=True)
    dist.barrier()
    for epoch in range(args.epochs):
        log = MetricLogger(args.log)
        train_epoch(model, loader, sampler, opt, epoch, device, log)
        scale = torch.stack([s for _, s in seen]).mean()
        dist.all_reduce(scale, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} {log} act {scale.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
