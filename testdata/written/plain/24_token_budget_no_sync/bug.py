"""NMT training; gradients are accumulated until a target number of tokens is seen."""
import argparse
import contextlib
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from nmt.batching import bucketed_batches
from nmt.loss import label_smoothed_nll
from nmt.model import TransformerNMT


class TokenAccumulator:
    def __init__(self, target):
        self.target = target
        self.seen = 0

    def add(self, n):
        self.seen += n

    @property
    def full(self):
        return self.seen >= self.target

    def reset(self):
        self.seen = 0


class NMTTrainer:
    def __init__(self, args, model, device):
        self.args = args
        self.device = device
        self.model = DDP(model.to(device), device_ids=[device.index])
        self.optim = torch.optim.Adam(self.model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        self.accum = TokenAccumulator(args.tokens_per_update)
        self.updates = 0

    def _maybe_sync(self):
        return contextlib.nullcontext() if self.accum.full else self.model.no_sync()

    def micro_step(self, src, tgt):
        n_tokens = int((tgt != self.args.pad).sum())
        self.accum.add(n_tokens)  # BUG
        with self._maybe_sync():
            logits = self.model(src.to(self.device), tgt[:, :-1].to(self.device))
            loss = label_smoothed_nll(logits, tgt[:, 1:].to(self.device), self.args.pad, eps=0.1)
            (loss / self.args.tokens_per_update).backward()
        if self.accum.full:  # BUG
            self.optim.step()
            self.optim.zero_grad(set_to_none=True)
            self.accum.reset()
            self.updates += 1
        return loss.item() / max(n_tokens, 1)

    def run(self, batches):
        for i in range(self.args.micro_steps):
            src, tgt = next(batches)
            nll = self.micro_step(src, tgt)
            if i % 200 == 0 and dist.get_rank() == 0:
                print(f"micro {i} updates {self.updates} nll/token {nll:.3f}", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bitext", required=True)
    ap.add_argument("--vocab-size", type=int, default=32000)
    ap.add_argument("--pad", type=int, default=1)
    ap.add_argument("--lr", type=float, default=7e-4)
    ap.add_argument("--sentences", type=int, default=64)
    ap.add_argument("--tokens-per-update", type=int, default=25000)
    ap.add_argument("--micro-steps", type=int, default=800_000)
    args = ap.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    trainer = NMTTrainer(args, TransformerNMT(args.vocab_size), device)
    trainer.run(bucketed_batches(args.bitext, args.sentences, dist.get_rank(), dist.get_world_size()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
