"""Context-parallel attention block for long documents."""
import math
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh


@dataclass
class LongConfig:
    vocab: int = 50_304
    dim: int = 2048
    heads: int = 16
    depth: int = 4
    cp: int = 4


class SequenceSplitter:
    """Cuts a batch along the sequence and keeps the piece of this rank."""

    def __init__(self, group, pad_id=0):
        self.group = group
        self.size = dist.get_world_size(group)
        self.index = dist.get_rank(group)
        self.pad_id = pad_id

    def shard(self, ids):
        piece = torch.chunk(ids, self.size, dim=1)[self.index]  # BUG
        start = self.index * math.ceil(ids.size(1) / self.size)
        positions = torch.arange(start, start + piece.size(1), device=ids.device)
        return piece.contiguous(), positions


class GatherSequence(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        size = dist.get_world_size(group)
        ctx.group, ctx.size = group, size
        out = x.new_empty((size * x.size(0), *x.shape[1:]))
        dist.all_gather_into_tensor(out, x.contiguous(), group=group)  # BUG
        return out

    @staticmethod
    def backward(ctx, grad):
        out = grad.new_empty((grad.size(0) // ctx.size, *grad.shape[1:]))
        dist.reduce_scatter_tensor(out, grad.contiguous(), group=ctx.group)
        return out, None


class CPAttention(nn.Module):
    def __init__(self, cfg, group):
        super().__init__()
        self.heads = cfg.heads
        self.group = group
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim, bias=False)
        self.out = nn.Linear(cfg.dim, cfg.dim, bias=False)

    def forward(self, x, positions):
        b, s, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        kv = GatherSequence.apply(torch.cat([k, v], -1).transpose(0, 1), self.group)
        k, v = kv.transpose(0, 1).chunk(2, dim=-1)
        q, k, v = (t.reshape(b, -1, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v))
        keys = torch.arange(k.size(2), device=x.device)
        mask = keys[None, :] <= positions[:, None]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(b, s, d))


class LongModel(nn.Module):
    def __init__(self, cfg, group):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.attn = nn.ModuleList(CPAttention(cfg, group) for _ in range(cfg.depth))
        self.norms = nn.ModuleList(nn.LayerNorm(cfg.dim) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)

    def forward(self, ids, positions):
        x = self.emb(ids)
        for norm, attn in zip(self.norms, self.attn):
            x = x + attn(norm(x), positions)
        return self.head(x)


def train(cfg, documents):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh(
        "cuda", (dist.get_world_size() // cfg.cp, cfg.cp), mesh_dim_names=("dp", "cp")
    )
    cp = mesh.get_group("cp")
    torch.manual_seed(1234)
    model = LongModel(cfg, cp).cuda()
    splitter = SequenceSplitter(cp)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step, doc in enumerate(documents.batches(mesh.get_local_rank("dp"), mesh["dp"].size(), steps=1000)):
        ids, positions = splitter.shard(doc["input_ids"].cuda())
        labels, _ = splitter.shard(doc["labels"].cuda())
        logits = model(ids, positions)
        F.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()
        for p in model.parameters():
            dist.all_reduce(p.grad, op=dist.ReduceOp.AVG)
        opt.step()
        opt.zero_grad()
