"""Multi-task trainer: each task's heads are trained by a subset of ranks, the trunk by all."""
import argparse
import os
from collections import OrderedDict
from dataclasses import dataclass
from typing import Dict, List

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Task:
    name: str
    classes: int
    weight: float = 1.0


TASKS = [Task("detection", 80), Task("segmentation", 150), Task("depth", 64, 0.5), Task("normals", 32, 0.5),
         Task("keypoints", 17)]


def assign_tasks(world: int) -> List[List[str]]:
    """Round robin: with few ranks one rank serves several tasks, with many a task has several ranks."""
    table = [[] for _ in range(world)]
    for i in range(max(world, len(TASKS))):
        table[i % world].append(TASKS[i % len(TASKS)].name)
    return table


def build_task_groups(table) -> Dict[str, dist.ProcessGroup]:
    names = {name for row in table for name in row}
    groups = {}
    for name in names:  # BUG 1
        ranks = [r for r, row in enumerate(table) if name in row]
        groups[name] = dist.new_group(ranks)  # BUG 1
    return groups


def build_node_groups():
    per_node = int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size()))
    mine = None
    for start in range(0, dist.get_world_size(), per_node):
        ranks = list(range(start, start + per_node))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            mine = group
    return mine


class MultiTaskNet(nn.Module):
    def __init__(self, my_tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.Conv2d(64, 128, 3, 2), nn.ReLU(),
                                   nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.heads = nn.ModuleDict(OrderedDict((t.name, nn.Linear(128, t.classes)) for t in TASKS if t.name in my_tasks))

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


class GradSync:
    def __init__(self, model, groups, my_tasks):
        self.model = model
        self.groups = groups
        self.my_tasks = [t.name for t in TASKS if t.name in my_tasks]

    @torch.no_grad()
    def broadcast_trunk(self):
        for p in self.model.trunk.parameters():
            dist.broadcast(p, src=0)

    @torch.no_grad()
    def broadcast_heads(self):
        for name in self.my_tasks:
            group = self.groups[name]
            src = dist.get_global_rank(group, 0)
            for p in self.model.heads[name].parameters():
                dist.broadcast(p, src=src, group=group)

    @torch.no_grad()
    def reduce(self):
        flat = torch.cat([(p.grad if p.grad is not None else torch.zeros_like(p)).flatten()
                          for p in self.model.trunk.parameters()])
        dist.all_reduce(flat)
        flat.div_(dist.get_world_size())
        offset = 0
        for p in self.model.trunk.parameters():
            p.grad = flat[offset:offset + p.numel()].view_as(p).clone()
            offset += p.numel()
        for name in self.my_tasks:
            group = self.groups[name]
            n = dist.get_world_size(group)
            for p in self.model.heads[name].parameters():
                dist.all_reduce(p.grad, group=group)
                p.grad.div_(n)


def unique_in_order(xs):
    return list(dict.fromkeys(xs))


def report(losses, step, device):
    """One line per task, averaged over the ranks that serve it."""
    buf = torch.zeros(len(TASKS), 2, device=device)
    for i, t in enumerate(TASKS):
        if t.name in losses:
            buf[i, 0] = losses[t.name]
            buf[i, 1] = 1
    dist.reduce(buf, dst=0)
    if dist.get_rank() == 0:
        line = ", ".join(f"{t.name} {(buf[i, 0] / buf[i, 1].clamp(min=1)).item():.3f}" for i, t in enumerate(TASKS))
        print(f"step {step}: {line}", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=10000)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    table = assign_tasks(dist.get_world_size())
    my_tasks = unique_in_order(table[dist.get_rank()])
    node_group = build_node_groups()
    groups = build_task_groups(table)

    model = MultiTaskNet(my_tasks).to(device)
    sync = GradSync(model, groups, my_tasks)
    sync.broadcast_trunk()
    sync.broadcast_heads()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    gen = torch.Generator().manual_seed(dist.get_rank())

    for step in range(args.steps):
        opt.zero_grad()
        losses = {}
        for t in TASKS:
            if t.name not in my_tasks:
                continue
            x = torch.randn(args.batch, 3, 128, 128, generator=gen).to(device)
            y = torch.randint(0, t.classes, (args.batch,), generator=gen).to(device)
            loss = F.cross_entropy(model(x, t.name), y)
            (t.weight * loss).backward()
            losses[t.name] = loss.detach()
        sync.reduce()
        opt.step()
        if step % 50 == 0:
            report(losses, step, device)
    dist.barrier(group=node_group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
