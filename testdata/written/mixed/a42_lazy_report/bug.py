"""Per-class evaluation report computed from confusion matrices held by each rank."""
import csv
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import torch
import torch.distributed as dist


class Confusion:
    def __init__(self, names: List[str], device: torch.device):
        self.names = names
        n = len(names)
        self.matrix = torch.zeros(n, n, dtype=torch.long, device=device)

    def update(self, pred: torch.Tensor, target: torch.Tensor) -> None:
        n = len(self.names)
        index = target.view(-1) * n + pred.view(-1)
        self.matrix += torch.bincount(index, minlength=n * n).view(n, n)

    def _row(self, i: int) -> torch.Tensor:
        hit = self.matrix[i, i]
        return torch.stack([hit, self.matrix[:, i].sum() - hit, self.matrix[i].sum() - hit])

    def per_class(self) -> Iterator[Tuple[str, float]]:
        for i, name in enumerate(self.names):
            counts = self._row(i)
            dist.all_reduce(counts)
            hit, extra, missed = counts.tolist()
            yield name, hit / max(hit + extra + missed, 1)

    def overall(self) -> float:
        total = self.matrix.clone()
        dist.all_reduce(total)
        return (total.diag().sum() / total.sum().clamp(min=1)).item()


def write_report(confusion: Confusion, out: Path) -> float:
    rows = confusion.per_class()
    accuracy = confusion.overall()
    if dist.get_rank() == 0:
        with out.open("w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow(["class", "iou"])
            writer.writerows(rows)  # BUG 1
    return accuracy


def write_summary(confusion: Confusion, out: Path) -> Dict[str, float]:
    rows = dict(confusion.per_class())
    rows["accuracy"] = confusion.overall()
    if dist.get_rank() == 0:
        with out.open("w", newline="") as f:
            csv.writer(f).writerows(rows.items())
    return rows


@torch.no_grad()
def evaluate(model, loader, names: List[str], out_dir: Path, device: torch.device) -> float:
    confusion = Confusion(names, device)
    model.eval()
    for image, target in loader:
        confusion.update(model(image.to(device)).argmax(dim=1), target.to(device))
    write_summary(confusion, out_dir / "summary.csv")
    return write_report(confusion, out_dir / "per_class.csv")
