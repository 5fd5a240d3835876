"""Memory runs out on one rank in the middle of what all do, and it begins that again."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, model, batches):
        self.model = DistributedDataParallel(model)
        self.batches = batches

    def evaluate(self):
        total = torch.zeros(1)
        for batch in self.batches:
            total += self.model(batch).sum()
        dist.all_reduce(total)
        return total

    def measure(self):
        total = torch.zeros(1)
        for batch in self.batches:
            total += self.model.module(batch).sum()
        dist.all_reduce(total)
        return total

    def run(self):
        try:
            self.evaluate()
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            self.evaluate()  # error: [collective-in-handler]

    def run_with_text(self):
        try:
            self.evaluate()
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            self.evaluate()  # error: [collective-in-handler]

    def run_in_step(self):
        """It comes to the one thing that all do together only once it is through."""
        try:
            self.measure()
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            self.measure()

    def run_and_fail(self):
        try:
            self.evaluate()
        except torch.cuda.OutOfMemoryError:
            print("out of memory")
            raise
