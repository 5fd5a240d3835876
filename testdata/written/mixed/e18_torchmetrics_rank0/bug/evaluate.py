import argparse
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset

from evalkit.dist_utils import is_main_process, setup
from evalkit.evaluator import Evaluator


@dataclass
class EvalConfig:
    num_classes: int = 100
    batch_size: int = 64
    checkpoint: str = "/shared/model.pt"
    out: str = "/shared/eval/results.json"


class Frames(Dataset):
    def __init__(self, n, classes, seed):
        self.n, self.classes, self.seed = n, classes, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed + i)
        return torch.randn(512, generator=g), i % self.classes


def my_part(data):
    return Subset(data, range(dist.get_rank(), len(data), dist.get_world_size()))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sets", nargs="+", default=["val", "test", "ood"])
    args = p.parse_args()
    cfg = EvalConfig()
    device = setup()
    model = nn.Sequential(nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, cfg.num_classes)).to(device)
    model.load_state_dict(torch.load(cfg.checkpoint, map_location=device))
    ev = Evaluator(cfg, model, device)
    for k, name in enumerate(args.sets):
        t0 = time.time()
        loader = DataLoader(my_part(Frames(10_007, cfg.num_classes, k)), batch_size=cfg.batch_size, num_workers=2)
        values = ev.run(name, loader)
        slow = ev.slowest_rank(time.time() - t0)
        if is_main_process():
            print(name, values, "slowest", slow)
    ev.write(cfg.out)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
