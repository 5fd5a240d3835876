"""What one rank has found is better than what the constructor left: the others never see it change (P11)."""
import torch.distributed as dist


class Trainer:
    def __init__(self):
        self.best = 0.0
        self.score = 0.0

    def evaluate(self, scores):
        if dist.get_rank() == 0:
            self.score = float(scores.mean())

    def fit(self, scores):
        for _ in range(9):
            self.evaluate(scores)
            if self.score > self.best:
                self.best = self.score
                dist.barrier()  # error: [conditional-collective]


class Told:
    def __init__(self):
        self.best = 0.0
        self.score = 0.0

    def evaluate(self, scores):
        told = [None]
        if dist.get_rank() == 0:
            told = [float(scores.mean())]
        dist.broadcast_object_list(told, src=0)
        self.score = told[0]

    def fit(self, scores):
        for _ in range(9):
            self.evaluate(scores)
            if self.score > self.best:
                self.best = self.score
                dist.barrier()
