import json
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn as nn

from rl.trainer import GRPOTrainer


@dataclass
class GRPOConfig:
    lr: float = 1e-6
    group_size: int = 8
    max_new_tokens: int = 256
    temperature: float = 1.0
    clip: float = 0.2
    clip_high: float = 0.28
    max_norm: float = 1.0
    min_groups: int = 4
    prompts_per_rank: int = 8
    steps: int = 500
    rewards: list = field(default_factory=lambda: ["exact", "format"])


class ByteTokenizer:
    def encode(self, s):
        return list(s.encode())

    def decode(self, ids):
        return bytes(ids).decode(errors="replace")


class TinyLM(nn.Module):
    def __init__(self, vocab=256, dim=512):
        super().__init__()
        self.emb, self.rnn, self.head = nn.Embedding(vocab, dim), nn.GRU(dim, dim, batch_first=True), nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.head(self.rnn(self.emb(ids))[0])


def main():
    cfg = GRPOConfig()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    rows = [json.loads(line) for line in open("/shared/math.jsonl")]
    rank, world = dist.get_rank(), dist.get_world_size()
    trainer = GRPOTrainer(cfg, TinyLM(), ByteTokenizer(), device)
    for step in range(cfg.steps):
        base = step * world * cfg.prompts_per_rank + rank * cfg.prompts_per_rank
        batch = [(rows[(base + i) % len(rows)]["question"], rows[(base + i) % len(rows)]["answer"])
                 for i in range(cfg.prompts_per_rank)]
        stats = trainer.step(batch)
        if rank == 0:
            print(step, stats, flush=True)
        if (step + 1) % 100 == 0:
            trainer.save(f"/shared/grpo_{step + 1}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
