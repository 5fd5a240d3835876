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


class Pretrained(Plain):
    @classmethod
    def from_hub(cls, path, **settings):
        config = settings.get("config")
        cls.check(config)
        names, shapes = sorted(config.names()), sorted(config.shapes())
        first, last = min(names), max(names)
        print(first, last, len(shapes), str(path).strip())
        try:
            return cls(path)
        except Exception as error:
            raise ValueError(path) from error

    @classmethod
    def check(cls, config):
        if config is None:
            raise ValueError("nothing to go by")


def save_pretrained_alone(path):
    bridge = Pretrained.from_hub(path)
    if dist.get_rank() == 0:
        bridge.save(path)  # error: [conditional-collective]
