"""Memory that runs out in a pass through the model that the block calls."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, net):
        self.net = DDP(net)

    def micro(self, parts):
        for part in parts:
            self.net(part).sum().backward()

    def batch(self, parts):
        short = 0
        try:
            self.micro(parts)
        except RuntimeError as error:  # error: [swallowed-failure]
            if "out of memory" not in str(error):
                raise
            short = 1
        flag = torch.tensor([short])
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag)

    def batch_watched(self, parts):
        short = 0
        try:
            self.micro(parts)
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            short = 1
        dist.monitored_barrier()
        flag = torch.tensor([short])
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag)
