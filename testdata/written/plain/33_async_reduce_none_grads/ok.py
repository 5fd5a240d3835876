import os
from contextlib import contextmanager

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from multilingual.data import LanguageBatches


class RoutedFFN(nn.Module):
    """One adapter per language family, picked by the family of the batch."""

    def __init__(self, dim, families):
        super().__init__()
        self.shared = nn.Linear(dim, dim)
        self.adapters = nn.ModuleDict({f: nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim)) for f in families})

    def forward(self, x, family):
        return F.gelu(self.shared(x)) + self.adapters[family](x)


class Tagger(nn.Module):
    def __init__(self, vocab, dim, depth, families, tags):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([RoutedFFN(dim, families) for _ in range(depth)])
        self.head = nn.Linear(dim, tags)

    def forward(self, ids, family):
        x = self.emb(ids)
        for layer in self.layers:
            x = x + layer(x, family)
        return self.head(x)


class GradientSync:
    def __init__(self, module):
        self.params = [p for p in module.parameters() if p.requires_grad]
        self.world = dist.get_world_size()
        self.pending = []

    def launch(self):
        for p in self.params:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            p.grad.div_(self.world)
            self.pending.append(dist.all_reduce(p.grad, async_op=True))

    def finish(self):
        while self.pending:
            self.pending.pop().wait()

    @contextmanager
    def overlapping(self):
        self.launch()
        yield
        self.finish()


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(0)

    data = LanguageBatches(os.environ["UD_ROOT"], rank=dist.get_rank(), world=dist.get_world_size())
    model = Tagger(data.vocab_size, 512, 6, data.families, data.num_tags).to(device)
    sync = GradientSync(model)
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    running = torch.zeros((), device=device)

    for step in range(30_000):
        family, ids, tags = data.next()
        logits = model(ids.to(device), family)
        loss = F.cross_entropy(logits.flatten(0, 1), tags.to(device).flatten(), ignore_index=-1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        with sync.overlapping():
            running.mul_(0.99).add_(loss.detach(), alpha=0.01)
        opt.step()
        if step % 250 == 0 and dist.get_rank() == 0:
            print(f"{step:6d} {running.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
