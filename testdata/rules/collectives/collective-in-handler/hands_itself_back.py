"""A method that gives back the object itself gives back one of the class, which knows what its methods do."""
import torch
import torch.distributed as dist


class Runner:
    def __init__(self, rank):
        self.rank = rank

    def enter(self):
        self.mode = "train"
        return self

    def entered(self):
        return make(self.rank)

    def save_checkpoint(self, step):
        if self.rank == 0:
            torch.save({"step": step}, "last.pt")


def train(rank, loader):
    trainer = Runner(rank).enter()
    try:
        for batch in loader:
            dist.barrier()
    finally:
        trainer.save_checkpoint(1)


def train_another(rank, loader):
    trainer = Runner(rank).entered()
    try:
        for batch in loader:
            dist.barrier()
    finally:
        trainer.save_checkpoint(1)  # error: [collective-in-handler]


class Base:
    def __init__(self, rank):
        self.rank = rank

    def begin(self):
        raise NotImplementedError

    def save_checkpoint(self, step):
        if self.rank == 0:
            torch.save({"step": step}, "last.pt")


def train_any(rank, loader):
    trainer = Base(rank).begin()
    try:
        for batch in loader:
            dist.barrier()
    finally:
        trainer.save_checkpoint(1)  # error: [collective-in-handler]
