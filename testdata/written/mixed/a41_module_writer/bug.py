"""Process-wide scalar writer with helper functions, in the style of small research code bases."""
import os
from typing import Dict, Optional

import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

_WRITER: Optional[SummaryWriter] = None
_STEP: int = 0


def setup(log_dir: str) -> None:
    global _WRITER
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    if dist.get_rank() == 0:
        _WRITER = SummaryWriter(log_dir)


def advance() -> int:
    global _STEP
    _STEP += 1
    return _STEP


def _mean_over_ranks(value: torch.Tensor) -> float:
    value = value.detach().float().clone()
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def log_scalars(scalars: Dict[str, torch.Tensor]) -> None:
    if _WRITER is None:
        return  # BUG 1
    for name, value in scalars.items():
        _WRITER.add_scalar(name, _mean_over_ranks(value), _STEP)


def log_histogram(name: str, values: torch.Tensor) -> None:
    if _WRITER is None:
        return
    _WRITER.add_histogram(name, values.detach().float().cpu(), _STEP)


def log_epoch(epoch: int, scalars: Dict[str, torch.Tensor]) -> Dict[str, float]:
    means = {name: _mean_over_ranks(value) for name, value in scalars.items()}
    if _WRITER is not None:
        for name, value in means.items():
            _WRITER.add_scalar(f"epoch/{name}", value, epoch)
    return means


def train(model, optimizer, loader, epochs: int) -> None:
    for epoch in range(epochs):
        total = torch.zeros((), device="cuda")
        for x, y in loader:
            loss = model(x.cuda(), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            total += loss.detach()
            if advance() % 20 == 0:
                log_scalars({"train/loss": loss})
                log_histogram("train/logits_scale", model.module.logit_scale)
        log_epoch(epoch, {"loss": total / len(loader)})
