"""A class method that makes an object of the class it is called on: `cls(...)`."""
import torch.distributed as dist


class Bridge:
    def __init__(self, name):
        self.name = name
        self.parts = []

    @classmethod
    def load(cls, name):
        try:
            return cls(name.strip())
        except ValueError as error:
            raise RuntimeError(name) from error

    def save(self, path):
        dist.barrier()
        self.write(path)

    def write(self, path):
        raise NotImplementedError


class Plain(Bridge):
    def write(self, path):
        print(path)


class Quiet(Bridge):
    def save(self, path):
        self.write(path)

    def write(self, path):
        print(path)


def save_alone(path):
    bridge = Plain.load("plain")
    if dist.get_rank() == 0:
        bridge.save(path)  # error: [conditional-collective]


def write_alone(path):
    bridge = Quiet.load("quiet")
    if dist.get_rank() == 0:
        bridge.save(path)


def save_together(path):
    bridge = Plain.load("plain")
    bridge.save(path)


class Reducer:
    @classmethod
    def reduce(cls, tensor, wanted):
        if wanted:
            dist.all_reduce(tensor)


def reduce_alone(tensor):
    Reducer.reduce(tensor, dist.get_rank() == 0)  # error: [conditional-collective]


def reduce_together(tensor):
    Reducer.reduce(tensor, dist.get_world_size() > 1)
