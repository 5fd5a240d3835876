import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from longctx.attention import ContextParallelAttention, plan_span
from longctx.data import PackedDocs, gather_lengths
from longctx.groups import registry

CHUNK, VOCAB, DIM, CP = 1024, 32000, 512, 4


class Model(nn.Module):
    def __init__(self, cp_ranks):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, DIM)
        self.attn = nn.ModuleList([ContextParallelAttention(DIM, 8, cp_ranks) for _ in range(4)])
        self.norm = nn.ModuleList([nn.LayerNorm(DIM) for _ in range(4)])
        self.head = nn.Linear(DIM, VOCAB)

    def forward(self, ids, span):
        x = self.emb(ids)
        for a, n in zip(self.attn, self.norm):
            x = x + a(n(x), span)
        return self.head(x)


def sync_grads(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad.div_(dist.get_world_size())


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    rank = dist.get_rank()
    cp_group = registry.prebuild_contiguous(CP)
    cp_ranks = dist.get_process_group_ranks(cp_group)
    cp_rank = dist.get_rank(cp_group)
    torch.manual_seed(0)
    model = Model(cp_ranks).cuda()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    docs = PackedDocs(1, rank // CP, CHUNK, VOCAB, CP)
    for step in range(5000):
        n, ids = docs.next(cp_rank)
        assert len(set(gather_lengths(n, cp_group))) == 1
        ids = ids.cuda()
        logits = model(ids, plan_span(n, CHUNK, CP))
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        sync_grads(model)
        opt.step()
        if step % 20 == 0:
            dist.all_reduce(loss.detach_())
            if rank == 0:
                print(step, loss.item() / dist.get_world_size(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
