import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn

from mcore import parallel_state as mpu
from mcore.schedule import (
    allreduce_data_parallel_grads,
    allreduce_embedding_grads,
    forward_backward_no_interleave,
    report_loss,
)


class Stage(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
                                      for _ in range(layers)])
        self.shared_weight = None
        if mpu.is_rank_in_embedding_group():
            torch.manual_seed(1)
            self.shared_weight = nn.Parameter(torch.randn(vocab, dim) * 0.02)

    def embed(self, ids):
        return nn.functional.embedding(ids, self.shared_weight)

    def forward(self, x):
        return self.layers(x)

    def loss(self, h, labels):
        return nn.functional.cross_entropy((h @ self.shared_weight.t()).flatten(0, 1), labels.flatten())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--pp", type=int, default=4)
    p.add_argument("--iters", type=int, default=1000)
    p.add_argument("--micro-batches", type=int, default=8)
    args = p.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    mpu.initialize_model_parallel(1, args.pp)
    vocab, dim, b, s = 32000, 1024, 2, 512
    torch.manual_seed(1234)
    stage = Stage(vocab, dim, 4).cuda()
    opt = torch.optim.AdamW(stage.parameters(), lr=1e-4)
    gen = torch.Generator().manual_seed(dist.get_rank(mpu.get_data_parallel_group()))
    for it in range(args.iters):
        ids = torch.randint(0, vocab, (args.micro_batches, b, s + 1), generator=gen)
        batches = [{"ids": m[:, :-1], "labels": m[:, 1:]} for m in ids]
        opt.zero_grad()
        losses = forward_backward_no_interleave(stage, batches, (b, s, dim))
        allreduce_data_parallel_grads(stage)
        allreduce_embedding_grads(stage)
        opt.step()
        if it % 10 == 0:
            report_loss(losses, it)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
