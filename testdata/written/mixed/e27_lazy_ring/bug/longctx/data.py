import torch
import torch.distributed as dist


class PackedDocs:
    """All ranks of one CP group draw the same document lengths; CP groups differ."""

    def __init__(self, seed, dp_rank, chunk, vocab, cp_size):
        self.gen = torch.Generator().manual_seed(seed + dp_rank)
        self.chunk, self.vocab, self.cp_size = chunk, vocab, cp_size

    def next(self, cp_rank):
        n = int(torch.randint(64, self.chunk * self.cp_size, (1,), generator=self.gen))
        ids = torch.randint(0, self.vocab, (1, self.chunk * self.cp_size), generator=self.gen)
        return n, ids[:, cp_rank * self.chunk:(cp_rank + 1) * self.chunk]


def gather_lengths(n, group):
    t = torch.tensor([n], device="cuda")
    out = [torch.empty_like(t) for _ in range(dist.get_world_size(group))]
    dist.all_gather(out, t, group=group)
    return [int(o) for o in out]
