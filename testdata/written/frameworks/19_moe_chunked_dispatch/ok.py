"""Memory-bounded token dispatch for inference with expert parallelism."""
import logging
from dataclasses import dataclass
from typing import Callable

import torch
import torch.distributed as dist
from torch import nn

logger = logging.getLogger(__name__)


@dataclass
class DispatchConfig:
    num_experts: int
    top_k: int = 2
    chunk_tokens: int = 4096
    drop_below: float = 0.02


class ExpertBank(nn.ModuleList):
    def __init__(self, make: Callable[[], nn.Module], count):
        super().__init__(make() for _ in range(count))

    def run(self, x, expert_ids):
        out = torch.zeros_like(x)
        for index, expert in enumerate(self):
            rows = (expert_ids == index).nonzero().squeeze(1)
            if rows.numel():
                out[rows] = expert(x[rows])
        return out


class ChunkedDispatcher:
    def __init__(self, cfg, bank, mesh):
        self.cfg = cfg
        self.bank = bank
        self.group = mesh.get_group("ep")
        self.size = dist.get_world_size(self.group)
        self.per_rank = cfg.num_experts // self.size
        self.served = 0

    def _route(self, scores):
        weight, expert = scores.topk(self.cfg.top_k, dim=-1)
        keep = weight > self.cfg.drop_below
        token = torch.arange(scores.size(0), device=scores.device).unsqueeze(1).expand_as(expert)
        return token[keep], expert[keep], weight[keep]

    def _swap(self, x, send, recv):
        out = x.new_empty((sum(recv), *x.shape[1:]))
        dist.all_to_all_single(out, x.contiguous(), recv, send, group=self.group)
        return out

    def _serve(self, hidden, expert):
        owner = expert // self.per_rank
        order = owner.argsort(stable=True)
        sizes = torch.bincount(owner, minlength=self.size)
        arriving = torch.empty_like(sizes)
        dist.all_to_all_single(arriving, sizes, group=self.group)
        send, recv = sizes.tolist(), arriving.tolist()
        x = self._swap(hidden[order], send, recv)
        ids = self._swap((expert % self.per_rank)[order], send, recv)
        back = self._swap(self.bank.run(x, ids), recv, send)
        self.served += sum(recv)
        return torch.empty_like(back).index_copy_(0, order, back)

    @torch.no_grad()
    def __call__(self, hidden, scores):
        token, expert, weight = self._route(scores)
        out = torch.zeros_like(hidden)
        size = self.cfg.chunk_tokens
        rounds = torch.tensor([-(-token.numel() // size)], device=token.device)
        dist.all_reduce(rounds, op=dist.ReduceOp.MAX, group=self.group)
        every = torch.arange(token.numel(), device=token.device)
        for i in range(int(rounds)):
            rows = every[i * size : (i + 1) * size]
            part = self._serve(hidden[token[rows]], expert[rows])
            out.index_add_(0, token[rows], part * weight[rows].unsqueeze(1).to(part.dtype))
        return out


class MoEBlock(nn.Module):
    def __init__(self, dim, cfg, mesh):
        super().__init__()
        self.gate = nn.Linear(dim, cfg.num_experts, bias=False)
        ranks = mesh["ep"].size()
        self.bank = ExpertBank(
            lambda: nn.Sequential(nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Linear(4 * dim, dim)),
            cfg.num_experts // ranks,
        )
        self.dispatch = ChunkedDispatcher(cfg, self.bank, mesh)

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        scores = self.gate(flat).float().softmax(-1)
        return x + self.dispatch(flat, scores).view_as(x)
