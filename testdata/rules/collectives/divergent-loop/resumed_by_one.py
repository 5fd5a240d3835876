"""Where to go on is known to the rank that has read the checkpoint; the others begin at what the constructor left (P09)."""
import torch
import torch.distributed as dist


class Resumed:
    def __init__(self, epochs):
        self.start = 0
        self.epochs = epochs

    def resume(self, checkpoint):
        if dist.get_rank() == 0:
            self.start = checkpoint["epoch"]

    def fit(self, checkpoint, t):
        self.resume(checkpoint)
        for _ in range(self.start, self.epochs):
            dist.all_reduce(t)  # error: [divergent-loop]


class ResumedHere:
    def __init__(self):
        self.start = 0

    def fit(self, path, t):
        if dist.get_rank() == 0:
            self.start = torch.load(path).epoch
        for _ in range(self.start, 9):
            dist.all_reduce(t)  # error: [divergent-loop]


class ResumedByAll:
    def __init__(self):
        self.start = 0

    def resume(self, path):
        checkpoint = torch.load(path)
        if checkpoint is not None:
            self.start = checkpoint["epoch"]
        if dist.get_rank() == 0:
            self.writer = open("log", "w")

    def fit(self, path, t):
        self.resume(path)
        for _ in range(self.start, 9):
            dist.all_reduce(t)


class Told:
    def __init__(self):
        self.start = 0

    def fit(self, path, t):
        if dist.get_rank() == 0:
            self.start = torch.load(path).epoch
        told = [self.start]
        dist.broadcast_object_list(told, src=0)
        for _ in range(told[0], 9):
            dist.all_reduce(t)


class BegunInTwoWays:
    def __init__(self, epochs, resumes):
        self.start = 0
        if resumes:
            self.start = epochs

    def fit(self, path, t):
        if dist.get_rank() == 0:
            self.start = torch.load(path).epoch
        for _ in range(self.start, 9):
            dist.all_reduce(t)  # low: [divergent-loop]
