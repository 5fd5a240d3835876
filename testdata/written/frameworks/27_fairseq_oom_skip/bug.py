"""Sequence-to-sequence trainer with explicit gradient reduction (legacy DDP style)."""
import logging
import pickle
from collections import defaultdict

import torch
import torch.distributed as dist
from torch import nn

logger = logging.getLogger(__name__)


def all_gather_list(data, max_size=16384):
    """Gather small picklable objects through a fixed-size byte buffer."""
    world, rank = dist.get_world_size(), dist.get_rank()
    payload = pickle.dumps(data)
    buffer = torch.zeros(max_size * world, dtype=torch.uint8, device="cuda")
    mine = buffer[rank * max_size : (rank + 1) * max_size]
    mine[:4] = torch.tensor(list(len(payload).to_bytes(4, "big")), dtype=torch.uint8)
    mine[4 : 4 + len(payload)] = torch.frombuffer(bytearray(payload), dtype=torch.uint8).cuda()
    dist.all_reduce(buffer)
    result = []
    for i in range(world):
        part = bytes(buffer[i * max_size : (i + 1) * max_size].cpu().tolist())
        size = int.from_bytes(part[:4], "big")
        result.append(pickle.loads(part[4 : 4 + size]))
    return result


class LegacyReducer:
    """Flattens the gradients into buckets and sums them over ranks."""

    def __init__(self, params, bucket=1 << 26):
        self.buckets, size = [[]], 0
        for p in params:
            if size + p.numel() > bucket:
                self.buckets.append([])
                size = 0
            self.buckets[-1].append(p)
            size += p.numel()

    def reduce(self):
        for bucket in self.buckets:
            grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in bucket]
            flat = torch.cat([g.reshape(-1) for g in grads])
            dist.all_reduce(flat)
            for p, g in zip(bucket, flat.split([p.numel() for p in bucket])):
                p.grad = g.view_as(p).clone()


class Trainer:
    def __init__(self, args, model, criterion):
        self.args = args
        self.model = model.cuda()
        self.criterion = criterion
        self.optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        self.reducer = LegacyReducer([p for p in model.parameters() if p.requires_grad])
        self.meters = defaultdict(float)
        self.num_updates = 0

    def _forward_backward(self, samples):
        logs = {"loss": 0.0, "ntokens": 0, "sample_size": 0}
        for sample in samples:
            loss, size, out = self.criterion(self.model, sample)
            loss.backward()
            logs["loss"] += out["loss"]
            logs["ntokens"] += out["ntokens"]
            logs["sample_size"] += size
        return logs

    def train_step(self, samples):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        try:
            logs = self._forward_backward(samples)
        except torch.cuda.OutOfMemoryError as err:
            logger.warning("ran out of memory, skipping batch: %s", err)
            self.meters["ooms"] += 1
            self.optimizer.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()
            return None  # BUG

        gathered = all_gather_list(logs)  # BUG
        total = {k: sum(part[k] for part in gathered) for k in gathered[0]}
        self.reducer.reduce()
        scale = 1.0 / max(total["sample_size"], 1)
        for p in self.model.parameters():
            if p.grad is not None:
                p.grad.mul_(scale)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip_norm)
        self.optimizer.step()
        self.num_updates += 1
        self.meters["wps"] += total["ntokens"]
        return total

    def train_epoch(self, itr):
        for samples in itr.next_grouped(self.args.update_freq, even=True):
            total = self.train_step(samples)
            if total and dist.get_rank() == 0 and self.num_updates % self.args.log_interval == 0:
                ppl = 2 ** (total["loss"] / max(total["ntokens"], 1))
                logger.info("update %d ppl %.2f ooms %d", self.num_updates, ppl, self.meters["ooms"])
