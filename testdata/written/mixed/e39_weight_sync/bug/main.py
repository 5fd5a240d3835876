import os
from dataclasses import dataclass

import torch
import torch.distributed as dist

from sync.channel import Roles
from sync.workers import GenWorker, TrainWorker


@dataclass
class Config:
    n_train: int = 2
    rounds: int = 200
    batch: int = 16
    lr: float = 1e-5
    frozen_layers: int = 2
    save_every: int = 50
    path: str = "/shared/policy.pt"


def main():
    cfg = Config()
    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    if (dist.get_world_size() - cfg.n_train) % cfg.n_train:
        raise ValueError("the generators must divide over the trainers")
    roles = Roles(cfg.n_train)
    worker = TrainWorker(cfg, roles, device) if roles.is_trainer else GenWorker(cfg, roles, device)
    for n in range(cfg.rounds):
        worker.round(n)
        if roles.rank == 0 and (n + 1) % cfg.save_every == 0:
            torch.save(worker.model.state_dict(), cfg.path)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
