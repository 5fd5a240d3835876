import math

import torch
import torch.distributed as dist
import torch.nn as nn

from .groups import registry


class _GatherSeq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group, ctx.n = group, x.shape[1]
        out = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
        dist.all_gather(out, x.contiguous(), group=group)
        return torch.cat(out, 1)

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        dist.all_reduce(g, group=ctx.group)
        i = dist.get_rank(ctx.group)
        return g[:, i * ctx.n:(i + 1) * ctx.n], None


def plan_span(doc_tokens, chunk, cp_size):
    """How many neighbouring ranks of the CP group a document of this length needs."""
    need = max(1, math.ceil(doc_tokens / chunk))
    span = 1
    while span < need:
        span *= 2
    return min(span, cp_size)


class ContextParallelAttention(nn.Module):
    def __init__(self, dim, heads, cp_ranks):
        super().__init__()
        self.heads, self.cp_ranks = heads, cp_ranks
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def _group(self, span):
        i = self.cp_ranks.index(dist.get_rank())
        start = i // span * span
        return registry.get(self.cp_ranks[start:start + span])  # BUG 1

    def forward(self, x, span):
        b, s, d = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        offset = 0
        if span > 1:
            group = self._group(span)
            k, v = _GatherSeq.apply(k, group), _GatherSeq.apply(v, group)
            offset = dist.get_rank(group) * s
        q, k, v = (t.view(b, -1, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v))
        pos = torch.arange(offset, offset + s, device=x.device)
        mask = pos[:, None] >= torch.arange(k.shape[2], device=x.device)[None]
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(b, s, d))
