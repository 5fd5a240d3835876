from dataclasses import dataclass

import torch.distributed as dist


@dataclass(frozen=True)
class RunInfo:
    rank: int
    world: int

    @classmethod
    def current(cls):
        if not dist.is_initialized():
            return cls(0, 1)
        return cls(dist.get_rank(), dist.get_world_size())

    @property
    def primary(self):
        return self.rank == 0
