"""Objects that functions make which are not looked into: of what they make it is known what its methods do."""
import torch.distributed as dist


class Shared:
    def __init__(self, path):
        self.path = path

    def load(self):
        dist.barrier()


class Plain:
    def __init__(self, path):
        self.path = path

    def load(self):
        return self.path


class OfTheFirst:
    def __init__(self, path):
        self.main = dist.get_rank() == 0

    def is_it(self):
        return self.main


class OfAll:
    def __init__(self, path):
        self.main = path

    def is_it(self):
        return self.main


def pick(kind):
    print(kind)
    return Shared(kind)


def choose(kind, path):
    if kind == "shared":
        return Shared(path)
    return Plain(path)


def plain(kind, path):
    print(kind)
    return Plain(path)


def decider(kind):
    print(kind)
    if kind == "first":
        return OfTheFirst(kind)
    return OfAll(kind)


def given_a_parameter(kind):
    made = pick(kind)
    if dist.get_rank() == 0:
        made.load()  # error: [conditional-collective]


def given_a_constant():
    made = pick("shared")
    if dist.get_rank() == 0:
        made.load()  # error: [conditional-collective]


def given_several(path):
    made = choose("plain", path)
    if dist.get_rank() == 0:
        made.load()  # error: [conditional-collective]


def given_several_constants():
    made = choose("plain", "out")
    if dist.get_rank() == 0:
        made.load()  # error: [conditional-collective]


def given_several_for_itself(path):
    made = plain("plain", path)
    if dist.get_rank() == 0:
        made.load()


def asked_for_what_differs():
    made = decider("all")
    if made.is_it():
        dist.barrier()  # error: [conditional-collective]


class Owner:
    """Holds nothing at first, then one object or another of one class."""

    def __init__(self):
        self.shared = None

    def setup(self, path):
        self.shared = Shared(path)

    def reset(self):
        self.shared = Shared("again")

    def run(self):
        if dist.get_rank() == 0:
            self.shared.load()  # error: [conditional-collective]
