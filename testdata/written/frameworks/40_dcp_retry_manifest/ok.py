"""Checkpoint writer with retries for a flaky network file system."""
import json
import logging
import os
import random
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

logger = logging.getLogger(__name__)


@dataclass
class WriterConfig:
    root: str
    attempts: int = 4
    backoff: float = 5.0


class ResumableStream:
    """Deals fixed-size windows of a token file; the position is kept per rank."""

    def __init__(self, tokens, batch, seq, rank, world):
        self.tokens, self.batch, self.seq = tokens, batch, seq
        self.rank, self.world = rank, world
        self.position = 0

    def next(self):
        span = self.batch * (self.seq + 1)
        offset = (self.position * self.world + self.rank) * span % (len(self.tokens) - span)
        self.position += 1
        return self.tokens[offset : offset + span].view(self.batch, self.seq + 1)


class CheckpointWriter:
    def __init__(self, cfg, model, optimizer, stream):
        self.cfg = cfg
        self.model, self.optimizer, self.stream = model, optimizer, stream
        self.rank = dist.get_rank()

    def _manifest(self, path, step):
        name = os.path.join(path, f"stream_{self.rank:05d}.json")
        with open(name + ".tmp", "w") as f:
            json.dump({"step": step, "position": self.stream.position}, f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(name + ".tmp", name)

    def _sleep(self, attempt):
        time.sleep(self.cfg.backoff * (attempt + 1) * (0.5 + random.random()))

    def write(self, step):
        path = os.path.join(self.cfg.root, f"step_{step:08d}")
        os.makedirs(path, exist_ok=True)
        model_state, optim_state = get_state_dict(self.model, self.optimizer)
        state = {"model": model_state, "optim": optim_state}
        dcp.save(state, checkpoint_id=path)
        for attempt in range(self.cfg.attempts):
            try:
                self._manifest(path, step)
                return True
            except OSError as err:
                logger.warning("rank %d attempt %d: %s", self.rank, attempt, err)
                self._sleep(attempt)
        return False

    def restore(self, step):
        path = os.path.join(self.cfg.root, f"step_{step:08d}")
        model_state, optim_state = get_state_dict(self.model, self.optimizer)
        state = {"model": model_state, "optim": optim_state}
        dcp.load(state, checkpoint_id=path)
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state["model"],
            optim_state_dict=state["optim"],
        )
        with open(os.path.join(path, f"stream_{self.rank:05d}.json")) as f:
            self.stream.position = json.load(f)["position"]


def train(cfg, model, optimizer, tokens, steps, save_every, start=0):
    stream = ResumableStream(tokens, 8, 2048, dist.get_rank(), dist.get_world_size())
    writer = CheckpointWriter(cfg, model, optimizer, stream)
    if start:
        writer.restore(start)
    for step in range(start + 1, steps + 1):
        ids = stream.next().cuda().long()
        logits = model(ids[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % save_every == 0:
            done = writer.write(step)
            if not done:
                logger.error("rank %d: no complete checkpoint at %d", dist.get_rank(), step)
