"""Memory that runs out in a function that communicates in the end."""
import time

import torch
import torch.distributed as dist


class Trainer:
    def evaluate(self, batches):
        total = torch.zeros(1)
        for batch in batches:
            total += self.score(batch)
        dist.all_reduce(total)
        return total

    def tried_twice(self, batches):
        try:
            self.evaluate(batches)
        except torch.cuda.OutOfMemoryError:
            time.sleep(10)
            try:
                self.evaluate(batches)
            except torch.cuda.OutOfMemoryError:  # error: [swallowed-failure]
                return None
        return self.best

    def any_failure(self, batches):
        """Nothing says that it happens on one rank alone."""
        try:
            self.evaluate(batches)
        except Exception:  # low: [swallowed-failure]
            print("no evaluation")

    def summed(self, total):
        dist.all_reduce(total)

    def hardly_any(self, total):
        """There is nothing in it that takes memory."""
        try:
            self.summed(total)
        except torch.cuda.OutOfMemoryError:  # low: [swallowed-failure]
            print("not summed")
