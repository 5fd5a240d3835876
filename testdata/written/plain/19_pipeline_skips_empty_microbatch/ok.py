import os

import torch
import torch.distributed as dist
import torch.nn as nn

from moeviz.data import MaskedClips
from moeviz.stages import make_stage


class PipelineStage:
    """GPipe schedule: all forwards, then all backwards, blocking p2p."""

    def __init__(self, module, micro_batches, act_shape, device):
        self.module = module.to(device)
        self.n = micro_batches
        self.act_shape = act_shape
        self.device = device
        self.rank = dist.get_rank()
        self.last = dist.get_world_size() - 1
        self.saved = []

    @property
    def is_first(self):
        return self.rank == 0

    @property
    def is_last(self):
        return self.rank == self.last

    def _recv(self, peer):
        buf = torch.empty(self.act_shape, device=self.device)
        dist.recv(buf, src=peer)
        return buf

    def forward_all(self, clips):
        self.saved.clear()
        for m in range(self.n):
            if self.is_first:
                clip, mask = clips[m]
                x = (clip * mask).to(self.device)
            else:
                x = self._recv(self.rank - 1).requires_grad_()
            y = self.module(x)
            self.saved.append((x, y))
            if not self.is_last:
                dist.send(y.detach(), dst=self.rank + 1)

    def backward_all(self, loss_fn):
        total = 0.0
        for x, y in self.saved:
            if self.is_last:
                loss = loss_fn(y) / self.n
                loss.backward()
                total += loss.item()
            else:
                y.backward(self._recv(self.rank + 1))
            if not self.is_first:
                dist.send(x.grad, dst=self.rank - 1)
        return total


def main():
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    rank, world = dist.get_rank(), dist.get_world_size()

    stage = PipelineStage(make_stage(rank, world), micro_batches=8, act_shape=(4, 256, 512), device=device)
    opt = torch.optim.AdamW(stage.module.parameters(), lr=2e-4)
    clips = MaskedClips(os.environ["CLIPS"], batch=4) if stage.is_first else None
    criterion = nn.SmoothL1Loss()

    for step in range(20_000):
        stage.forward_all(clips.micro_batches(8) if stage.is_first else None)
        loss = stage.backward_all(lambda y: criterion(y, torch.zeros_like(y)))
        opt.step()
        opt.zero_grad(set_to_none=True)
        if stage.is_last and step % 100 == 0:
            print(f"step {step} loss {loss:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
