"""Post-local SGD: ranks train alone and average selected sub-modules every H steps."""
import os
from types import SimpleNamespace

import torch
import torch.distributed as dist

from recsys.data import ClickStream
from recsys.model import TwoTower


class PeriodicAverager:
    def __init__(self, model, period, frozen_prefixes=()):
        self.model = model
        self.period = period
        self.frozen = tuple(frozen_prefixes)
        self.world = dist.get_world_size()
        self.blocks = self._collect_blocks()
        self.calls = 0

    def _collect_blocks(self):
        names = set()
        for full, p in self.model.named_parameters():
            if not p.requires_grad or full.startswith(self.frozen):
                continue
            names.add(full.rsplit(".", 1)[0])
        return sorted(names)

    def _average_block(self, name):
        module = self.model.get_submodule(name)
        params = [p for p in module.parameters(recurse=False) if p.requires_grad]
        flat = torch.cat([p.detach().reshape(-1) for p in params])
        dist.all_reduce(flat)
        flat.div_(self.world)
        offset = 0
        for p in params:
            p.data.copy_(flat[offset:offset + p.numel()].view_as(p))
            offset += p.numel()

    def step(self):
        self.calls += 1
        if self.calls % self.period != 0:
            return False
        with torch.no_grad():
            for name in self.blocks:
                self._average_block(name)
        return True


def broadcast_model(model):
    for t in model.state_dict().values():
        dist.broadcast(t, src=0)


def main():
    cfg = SimpleNamespace(period=16, lr=0.02, steps=20000, dim=64, batch=4096)
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)

    model = TwoTower(dim=cfg.dim).to(device)
    broadcast_model(model)
    averager = PeriodicAverager(model, cfg.period, frozen_prefixes=("user_tower.embedding",))
    opt = torch.optim.Adagrad([p for p in model.parameters() if p.requires_grad], lr=cfg.lr)
    stream = ClickStream(os.environ["CLICKS"], seed=dist.get_rank())

    for step in range(cfg.steps):
        users, items, clicked = (t.to(device) for t in stream.draw(cfg.batch))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(users, items), clicked)
        opt.zero_grad()
        loss.backward()
        opt.step()
        averager.step()
        if step % 500 == 0 and dist.get_rank() == 0:
            print(f"{step:6d} {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
