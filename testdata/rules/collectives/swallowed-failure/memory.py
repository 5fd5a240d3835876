"""Memory runs out on one rank in the middle of a pass."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, net, optimizer):
        self.model = DistributedDataParallel(net)
        self.optimizer = optimizer
        self.skipped = 0

    def epoch(self, loader):
        for batch in loader:
            try:
                loss = self.model(batch).mean()
                loss.backward()
            except torch.cuda.OutOfMemoryError:  # error: [swallowed-failure]
                self.skipped += 1
                torch.cuda.empty_cache()
                continue
            self.optimizer.step()
            dist.all_reduce(loss.detach())

    def training_step(self, batch):
        total = batch.new_tensor(len(batch))
        dist.all_reduce(total)
        return self.model(batch).sum() / total

    def voted_behind(self, batch):
        while True:
            failed = 0
            try:
                return self.training_step(batch)
            except RuntimeError as error:  # error: [swallowed-failure]
                if "out of memory" not in str(error):
                    raise
                failed = 1
            flag = torch.tensor(failed)
            dist.all_reduce(flag, op=dist.ReduceOp.MAX)
            batch = batch[: len(batch) // 2]

    def raised_again(self, batch):
        try:
            self.model(batch).mean().backward()
        except torch.cuda.OutOfMemoryError:
            print(torch.cuda.memory_summary())
            raise
        dist.barrier()

    def made_up_for(self, batches, spare):
        failed = 0
        for batch in batches:
            try:
                self.model(batch).mean().backward()
            except torch.cuda.OutOfMemoryError:
                failed += 1
        if failed:
            self.model(spare).mean().backward()  # low: [conditional-collective]
        dist.barrier()

    def probed(self, batch):
        try:
            moved = batch.cuda()
        except torch.cuda.OutOfMemoryError:
            moved = batch
        self.model(moved).mean().backward()
        dist.barrier()


def alone(model, loader):
    for batch in loader:
        try:
            model(batch).mean().backward()
        except torch.cuda.OutOfMemoryError:
            continue
