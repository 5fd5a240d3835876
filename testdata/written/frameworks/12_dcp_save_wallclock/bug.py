"""Training loop with checkpoints every N minutes through torch DCP."""
import argparse
import logging
import os
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn.functional as F
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.fsdp import fully_shard

logger = logging.getLogger("lm")


class AppState(Stateful):
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.step = 0

    def state_dict(self):
        model, optim = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optim": optim, "step": self.step}

    def load_state_dict(self, state):
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state["model"],
            optim_state_dict=state["optim"],
        )
        self.step = state["step"]


@dataclass
class SavePolicy:
    folder: str
    minutes: float = 20.0
    keep: int = 3


class Checkpointer:
    def __init__(self, policy, app):
        self.policy = policy
        self.app = app
        self.interval = policy.minutes * 60
        self._last = time.monotonic()
        self._saved = []

    def _path(self, step):
        return os.path.join(self.policy.folder, f"step_{step:08d}")

    def _due(self):
        return time.monotonic() - self._last >= self.interval

    def maybe_save(self, step):
        if not self._due():  # BUG
            return
        self.save(step)

    def save(self, step):
        self.app.step = step
        dcp.save({"app": self.app}, checkpoint_id=self._path(step))  # BUG
        self._saved.append(step)
        self._last = time.monotonic()
        if dist.get_rank() == 0:
            logger.info("saved step %d, %d kept", step, min(len(self._saved), self.policy.keep))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True, norm_first=True)

    def forward(self, x, mask):
        return self.layer(x, src_mask=mask, is_causal=True)


class LM(nn.Module):
    def __init__(self, vocab, dim=1024, heads=16, depth=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.out = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1), device=ids.device)
        x = self.emb(ids)
        for block in self.blocks:
            x = block(x, mask)
        return self.out(x)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--folder", required=True)
    p.add_argument("--minutes", type=float, default=20.0)
    p.add_argument("--steps", type=int, default=50_000)
    p.add_argument("--vocab", type=int, default=32_000)
    args = p.parse_args()
    dist.init_process_group("cuda:nccl,cpu:gloo")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = LM(args.vocab).cuda()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    ckpt = Checkpointer(SavePolicy(args.folder, args.minutes), AppState(model, opt))
    gen = torch.Generator().manual_seed(dist.get_rank())
    for step in range(args.steps):
        ids = torch.randint(args.vocab, (8, 1025), generator=gen).cuda()
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        opt.step()
        opt.zero_grad()
        ckpt.maybe_save(step)
    ckpt.save(args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
