import math
import sys

import torch

from .dist import get_rank, reduce_dict, reduce_known


def to_device(targets, device):
    return [{k: v.to(device) for k, v in t.items()} for t in targets]


def train_one_epoch(model, criterion, loader, optimizer, device, epoch, max_norm=0.1, print_freq=20):
    model.train()
    criterion.train()
    for it, (images, targets) in enumerate(loader):
        targets = to_device(targets, device)
        outputs = model(images.to(device))
        loss_dict = criterion(outputs, targets)
        losses = sum(loss_dict[k] * criterion.weights[k] for k in loss_dict)
        losses = losses + sum(v.sum() * 0.0 for v in outputs.values())

        reduced = reduce_dict(loss_dict)  # BUG 1
        scaled = {k: v * criterion.weights[k] for k, v in reduced.items()}
        value = sum(scaled.values()).item()
        if not math.isfinite(value):
            print(f"loss is {value}, stopping training", reduced)
            sys.exit(1)

        optimizer.zero_grad()
        losses.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        if it % print_freq == 0 and get_rank() == 0:
            print(f"epoch {epoch} it {it} loss {value:.4f}", flush=True)


@torch.no_grad()
def evaluate(net, criterion, loader, device):
    net.eval()
    sums, n = {}, 0
    for images, targets in loader:
        out = net(images.to(device))
        for i, t in enumerate(to_device(targets, device)):
            size = "small" if len(t["labels"]) < 4 else "crowded"
            hit = (out["logits"][i].argmax(-1)[: len(t["labels"])] == t["labels"]).float().mean()
            sums.setdefault(size, []).append(hit.item())
        n += len(targets)
    stats = {k: sum(v) / len(v) for k, v in sums.items()}
    net.train()
    return reduce_known(stats, ["small", "crowded"], device)
