"""`self.rank` comes from `__init__`; the methods ask it (P01)."""
import os

import torch
import torch.distributed as dist


class Trainer:
    def __init__(self, config, model):
        self.config = config
        self.model = model
        self.rank = dist.get_rank()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        self.world_size = dist.get_world_size()
        self.is_main = self.rank == 0

    def save(self, path):
        if self.rank == 0:
            torch.save(self.model.state_dict(), path)
            dist.barrier()  # error: [conditional-collective]

    def save_in_step(self, path):
        if self.rank == 0:
            torch.save(self.model.state_dict(), path)
        dist.barrier()

    def evaluate(self, correct, total):
        stats = torch.tensor([correct, total], device=self.local_rank)
        if self.is_main:
            dist.all_reduce(stats)  # error: [conditional-collective]
        return stats[0] / stats[1]

    def evaluate_in_step(self, correct, total):
        stats = torch.tensor([correct, total], device=self.local_rank)
        if self.world_size > 1:
            dist.all_reduce(stats)
        if self.is_main:
            print("accuracy", (stats[0] / stats[1]).item())
        return stats[0] / stats[1]

    def shutdown(self):
        if dist.is_available() and dist.is_initialized():
            dist.barrier()
            dist.destroy_process_group()
