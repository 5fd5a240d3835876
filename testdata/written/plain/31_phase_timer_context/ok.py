import collections
import contextlib
import os
import random
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from continual.backbone import make_backbone
from continual.streams import split_tasks


class PhaseClock:
    """Slowest-rank duration of named phases."""

    def __init__(self, device):
        self.device = device
        self.seconds = collections.defaultdict(float)

    @contextlib.contextmanager
    def phase(self, name):
        torch.cuda.synchronize(self.device)
        begin = time.perf_counter()
        yield
        torch.cuda.synchronize(self.device)
        slowest = torch.tensor(time.perf_counter() - begin, device=self.device)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        self.seconds[name] += slowest.item()


class Reservoir:
    """Keeps hard examples of earlier tasks."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.items = []

    def offer(self, x, y, losses, threshold):
        for xi, yi, li in zip(x.cpu(), y.cpu(), losses.tolist()):
            if li > threshold and len(self.items) < self.capacity:
                self.items.append((xi, yi))

    def draw(self, n):
        picked = random.choices(self.items, k=n)
        xs, ys = zip(*picked)
        return torch.stack(xs), torch.stack(ys)


class Learner:
    def __init__(self, device, capacity=4096, lr=0.03):
        self.device = device
        self.net = DDP(make_backbone(100).to(device), device_ids=[device.index])
        self.opt = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)
        self.memory = Reservoir(capacity)
        self.clock = PhaseClock(device)

    def mix(self, x, y):
        with self.clock.phase("replay"):
            if self.memory.items:
                rx, ry = self.memory.draw(x.size(0) // 2)
                x = torch.cat([x, rx.to(self.device)])
                y = torch.cat([y, ry.to(self.device)])
        return x, y

    def observe(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        n = x.size(0)
        x_all, y_all = self.mix(x, y)
        with self.clock.phase("update"):
            losses = F.cross_entropy(self.net(x_all), y_all, reduction="none")
            self.opt.zero_grad(set_to_none=True)
            losses.mean().backward()
            self.opt.step()
        self.memory.offer(x, y, losses[:n].detach(), threshold=2.0)


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    learner = Learner(device)
    for task_id, dataset in enumerate(split_tasks(os.environ["CIFAR100"], n_tasks=10)):
        loader = DataLoader(dataset, 64, sampler=DistributedSampler(dataset), num_workers=4, drop_last=True)
        for x, y in loader:
            learner.observe(x, y)
        if dist.get_rank() == 0:
            print(task_id, len(learner.memory.items), dict(learner.clock.seconds), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
