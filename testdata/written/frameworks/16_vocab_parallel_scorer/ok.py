"""Token log-probabilities from vocabulary-sharded logits, for preference scoring."""
import argparse
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

from scoring_data import PreferencePairs, load_trunk


@dataclass(frozen=True)
class VocabSlice:
    start: int
    end: int

    @classmethod
    def for_rank(cls, vocab, rank, size):
        per = (vocab + size - 1) // size
        return cls(rank * per, min(vocab, (rank + 1) * per))

    def __len__(self):
        return self.end - self.start


class ParallelHead(nn.Module):
    """Output projection of which each tensor-parallel rank owns some rows."""

    def __init__(self, hidden, vocab, group):
        super().__init__()
        self.group = group
        self.slice = VocabSlice.for_rank(vocab, dist.get_rank(group), dist.get_world_size(group))
        self.weight = nn.Parameter(torch.empty(len(self.slice), hidden))

    def forward(self, hidden):
        return hidden @ self.weight.t()

    @torch.no_grad()
    def logprobs(self, hidden, target):
        """Log-probability of each target token; same result on every rank of the group."""
        logits = self(hidden).float()
        owned = (target >= self.slice.start) & (target < self.slice.end)
        peak = logits.amax(dim=-1)
        dist.all_reduce(peak, op=dist.ReduceOp.MAX, group=self.group)
        logits = logits - peak.unsqueeze(-1)

        local = (target - self.slice.start).clamp(0, len(self.slice) - 1)
        picked = logits.gather(-1, local.unsqueeze(-1)).squeeze(-1) * owned
        dist.all_reduce(picked, group=self.group)

        norm = logits.exp().sum(-1)
        dist.all_reduce(norm, group=self.group)
        return picked - norm.log()


class PreferenceScorer:
    def __init__(self, trunk, head, beta):
        self.trunk = trunk
        self.head = head
        self.beta = beta

    def sequence_score(self, ids, mask):
        hidden = self.trunk(ids[:, :-1])
        lp = self.head.logprobs(hidden, ids[:, 1:])
        return (lp * mask[:, 1:]).sum(-1)

    def margin(self, pair):
        chosen = self.sequence_score(pair["chosen"].cuda(), pair["chosen_mask"].cuda())
        other = self.sequence_score(pair["rejected"].cuda(), pair["rejected_mask"].cuda())
        return self.beta * (chosen - other)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--pairs", required=True)
    p.add_argument("--trunk", required=True)
    p.add_argument("--vocab", type=int, default=128_256)
    p.add_argument("--tp", type=int, default=8)
    args = p.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    mesh = init_device_mesh(
        "cuda", (dist.get_world_size() // args.tp, args.tp), mesh_dim_names=("dp", "tp")
    )
    trunk, head_rows = load_trunk(args.trunk)
    head = ParallelHead(head_rows.size(1), args.vocab, mesh.get_group("tp")).cuda()
    head.weight.data.copy_(head_rows[head.slice.start : head.slice.end])
    scorer = PreferenceScorer(trunk.cuda().eval(), head, beta=0.1)

    pairs = PreferencePairs(args.pairs, part=mesh.get_local_rank("dp"), parts=mesh["dp"].size())
    wins = torch.zeros(2, device="cuda")
    for pair in pairs:
        margin = scorer.margin(pair)
        wins += torch.stack([(margin > 0).sum().float(), torch.tensor(float(margin.numel())).cuda()])
    dist.all_reduce(wins, group=mesh.get_group("dp"))
    if dist.get_rank() == 0:
        print(f"accuracy {wins[0].item() / wins[1].item():.4f}")


if __name__ == "__main__":
    main()
