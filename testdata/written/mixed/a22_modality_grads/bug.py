"""Gradient averaging for a multimodal model whose encoders run only when the batch has the modality."""
from typing import Dict, List, Optional

import torch
import torch.distributed as dist
from torch import nn


class MultimodalModel(nn.Module):
    def __init__(self, encoders: Dict[str, nn.Module], fusion: nn.Module):
        super().__init__()
        self.encoders = nn.ModuleDict(encoders)
        self.fusion = fusion

    def forward(self, batch: Dict[str, Optional[torch.Tensor]], labels: torch.Tensor) -> torch.Tensor:
        tokens: List[torch.Tensor] = []
        for name, encoder in self.encoders.items():
            if batch.get(name) is not None:
                tokens.append(encoder(batch[name]))
        return self.fusion(torch.cat(tokens, dim=1), labels)


class GradSync:
    def __init__(self, model: nn.Module, group=None):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.group = group
        self.world = dist.get_world_size(group)

    def average(self) -> None:
        grads = [p.grad for p in self.params if p.grad is not None]
        for grad in grads:
            dist.all_reduce(grad, group=self.group)  # BUG 1
            grad.div_(self.world)

    def average_dense(self) -> None:
        for p in self.params:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            dist.all_reduce(p.grad, group=self.group)
            p.grad.div_(self.world)


def train(model: MultimodalModel, optimizer, loader, steps: int, freeze_after: int) -> None:
    sync = GradSync(model)
    batches = iter(loader)
    for step in range(steps):
        batch, labels = next(batches)
        model(batch, labels).backward()
        if step < freeze_after:
            sync.average_dense()
        else:
            sync.average()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
