"""Population-based training: weights of the winner are copied to every member."""
import random
import zlib

import torch
import torch.distributed as dist


class PopulationMember:
    def __init__(self, model, optimizer, cfg):
        self.model = model
        self.optimizer = optimizer
        self.cfg = cfg
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.best_loss = float("inf")

    def _copy_from(self, src):
        for p in self.model.parameters():
            dist.broadcast(p.data, src=src)

    def exploit(self, loss):
        mine = torch.tensor([loss], device="cuda")
        table = [torch.empty_like(mine) for _ in range(self.world)]
        dist.all_gather(table, mine)
        winner = int(torch.cat(table).argmin())
        self._copy_from(winner)

    def adopt_improvement(self, loss):
        src = self.rank if loss < self.best_loss else 0
        self.best_loss = min(self.best_loss, loss)
        self._copy_from(src)  # BUG 1

    def explore(self):
        for g in self.optimizer.param_groups:
            g["lr"] *= random.choice(self.cfg.lr_factors)


def broadcast_owned_buffers(model):
    world = dist.get_world_size()
    for name, buf in model.named_buffers():
        owner = zlib.crc32(name.encode()) % world
        dist.broadcast(buf, src=owner)


def broadcast_owned_params(model):
    world = dist.get_world_size()
    for name, p in model.named_parameters():
        owner = hash(name) % world
        dist.broadcast(p.data, src=owner)  # BUG 2
