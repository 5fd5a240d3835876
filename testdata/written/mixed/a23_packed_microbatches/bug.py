"""Token-budget packing of variable-length samples into micro-batches for FSDP."""
from typing import Iterable, List

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def pack(samples: Iterable[torch.Tensor], budget: int) -> List[torch.Tensor]:
    packs: List[torch.Tensor] = []
    current: List[torch.Tensor] = []
    used = 0
    for tokens in sorted(samples, key=len, reverse=True):
        if current and used + len(tokens) > budget:
            packs.append(torch.cat(current))
            current, used = [], 0
        current.append(tokens)
        used += len(tokens)
    if current:
        packs.append(torch.cat(current))
    return packs


class PackedTrainer:
    def __init__(self, model: FSDP, optimizer, budget: int, pad_id: int):
        self.model = model
        self.optimizer = optimizer
        self.budget = budget
        self.pad_id = pad_id

    def _forward_backward(self, tokens: torch.Tensor) -> torch.Tensor:
        tokens = tokens.cuda()
        n = (tokens != self.pad_id).sum().float()
        dist.all_reduce(n)
        loss = self.model(tokens.unsqueeze(0)) * dist.get_world_size() / n
        loss.backward()
        return loss.detach()

    def _finish(self) -> None:
        self.model.clip_grad_norm_(1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def step(self, samples: List[torch.Tensor]) -> float:
        total = 0.0
        for tokens in pack(samples, self.budget):
            total += self._forward_backward(tokens).item()  # BUG 1
        self._finish()
        return total

    def step_padded(self, samples: List[torch.Tensor]) -> float:
        packs = pack(samples, self.budget)
        rounds = torch.tensor(len(packs), device="cuda")
        dist.all_reduce(rounds, op=dist.ReduceOp.MAX)
        filler = torch.full((8,), self.pad_id)
        packs += [filler] * (int(rounds) - len(packs))
        total = 0.0
        for tokens in packs:
            total += self._forward_backward(tokens).item()
        self._finish()
        return total
