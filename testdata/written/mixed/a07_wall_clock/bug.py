"""FSDP pretraining under a scheduler time limit."""
import os
import time

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict


class WallClock:
    def __init__(self, limit_minutes: float, margin_s: float = 180.0):
        self._deadline = time.monotonic() + 60.0 * limit_minutes - margin_s

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self._deadline


def save_sharded(model, optimizer, directory: str, step: int) -> None:
    model_sd, optim_sd = get_state_dict(model, optimizer)
    dcp.save({"model": model_sd, "optim": optim_sd}, checkpoint_id=os.path.join(directory, f"step_{step}"))


def pretrain(model, optimizer, stream, cfg) -> int:
    clock = WallClock(cfg.limit_minutes)
    for step in range(cfg.max_steps):
        tokens = stream.next_batch().cuda(non_blocking=True)
        loss = model(tokens[:, :-1], labels=tokens[:, 1:])
        loss.backward()
        model.clip_grad_norm_(cfg.max_norm)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if clock.expired:
            save_sharded(model, optimizer, cfg.out_dir, step)  # BUG 1
            return step
        if step % cfg.save_every == 0:
            save_sharded(model, optimizer, cfg.out_dir, step)
    return cfg.max_steps


def anneal(model, optimizer, stream, schedule, cfg) -> int:
    clock = WallClock(cfg.limit_minutes)
    for step in range(cfg.anneal_steps):
        tokens = stream.next_batch().cuda(non_blocking=True)
        model(tokens[:, :-1], labels=tokens[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        schedule.step()
        verdict = [clock.expired]
        dist.broadcast_object_list(verdict, src=0)
        if verdict[0]:
            save_sharded(model, optimizer, cfg.out_dir, step)
            return step
    return cfg.anneal_steps
