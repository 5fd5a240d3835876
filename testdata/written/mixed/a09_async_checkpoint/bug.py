"""Asynchronous sharded checkpoints: write in a thread, publish when every shard is on disk."""
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Optional

import torch
import torch.distributed as dist


class AsyncShardWriter:
    def __init__(self, root: str, gloo_group: dist.ProcessGroup):
        self.root = root
        self.group = gloo_group
        self.rank = dist.get_rank()
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._pending: Optional[Future] = None
        self._step = -1

    def _dump(self, state: dict, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        torch.save(state, os.path.join(folder, f"shard_{self.rank:05d}.pt"))

    def submit(self, state: dict, step: int) -> None:
        self._step = step
        host = {k: v.detach().cpu() for k, v in state.items()}
        self._pending = self._pool.submit(self._dump, host, os.path.join(self.root, f"step_{step}.tmp"))

    def _publish(self) -> None:
        dist.barrier(group=self.group)
        if self.rank == 0:
            src = os.path.join(self.root, f"step_{self._step}.tmp")
            os.rename(src, src[: -len(".tmp")])

    def poll(self) -> None:
        if self._pending is not None and self._pending.done():
            self._pending.result()
            self._pending = None
            self._publish()  # BUG 1

    def wait(self) -> None:
        """Block until the local shard is on disk, then publish together."""
        self._pool.shutdown(wait=True)
        self._publish()
        self._pool = ThreadPoolExecutor(max_workers=1)

    def all_written(self) -> bool:
        done = self._pending is None or self._pending.done()
        flag = torch.tensor([done], dtype=torch.int32)
        dist.all_reduce(flag, op=dist.ReduceOp.MIN, group=self.group)
        return bool(flag.item())


def train(model, optimizer, loader, writer: AsyncShardWriter, save_every: int) -> None:
    for step, (x, y) in enumerate(loader):
        model(x.cuda(), y.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % save_every == 0:
            writer.submit(model.state_dict(), step)
        writer.poll()


def train_blocking(model, optimizer, loader, writer: AsyncShardWriter, save_every: int) -> None:
    for step, (x, y) in enumerate(loader):
        model(x.cuda(), y.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % save_every == 0:
            writer.submit(model.state_dict(), step)
            writer.wait()
