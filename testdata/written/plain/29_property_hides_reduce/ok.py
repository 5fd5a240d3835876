import argparse
import logging
import math
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from gptmini.data import MemmapTokens
from gptmini.model import GPT, GPTConfig


class Progress:
    """Counts what this process has done; exposes job-level figures."""

    def __init__(self, device):
        self.device = device
        self.tokens = 0
        self.loss_sum = 0.0
        self.steps = 0
        self.started = time.perf_counter()

    def record(self, loss, tokens):
        self.loss_sum += loss
        self.tokens += tokens
        self.steps += 1

    def _total(self, value):
        t = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(t)
        return t.item()

    @property
    def perplexity(self):
        return math.exp(min(20.0, self._total(self.loss_sum) / self._total(float(self.steps))))

    @property
    def tokens_per_second(self):
        return self.tokens * dist.get_world_size() / (time.perf_counter() - self.started)

    def restart(self):
        self.loss_sum, self.tokens, self.steps = 0.0, 0, 0
        self.started = time.perf_counter()


def cosine(step, args):
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    t = (step - args.warmup) / max(1, args.steps - args.warmup)
    return args.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * t)))


def train(args, device):
    log = logging.getLogger("gptmini")
    rank = dist.get_rank()
    model = DDP(GPT(GPTConfig(n_layer=12, n_embd=768)).to(device), device_ids=[device.index])
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.95))
    tokens = MemmapTokens(args.data, args.ctx, seed=1000 + rank)
    progress = Progress(device)

    for step in range(args.steps):
        for g in optim.param_groups:
            g["lr"] = cosine(step, args)
        x, y = tokens.batch(args.batch, device)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            _, loss = model(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optim.step()
        optim.zero_grad(set_to_none=True)
        progress.record(loss.item(), x.numel())

        if (step + 1) % args.log_every == 0:
            ppl = progress.perplexity
            if rank == 0:
                log.info("step %d ppl %.2f tok/s %.0f", step + 1, ppl, progress.tokens_per_second)
            progress.restart()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--ctx", type=int, default=1024)
    p.add_argument("--batch", type=int, default=12)
    p.add_argument("--lr", type=float, default=6e-4)
    p.add_argument("--warmup", type=int, default=2000)
    p.add_argument("--steps", type=int, default=600_000)
    p.add_argument("--log-every", type=int, default=100)
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    train(args, device)
    dist.destroy_process_group()
