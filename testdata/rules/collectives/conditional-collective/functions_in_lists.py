"""Functions in lists and tables of a module, or of the function itself."""
import torch.distributed as dist


def summed(t):
    dist.all_reduce(t)


def shown(t):
    print(t)


HOOKS = [summed]
SHOWS = [shown]
STEPS = {"sum": summed, "show": shown}


def each_hook(t):
    if dist.get_rank() == 0:
        for hook in HOOKS:
            hook(t)  # error: [conditional-collective]


def each_show(t):
    if dist.get_rank() == 0:
        for show in SHOWS:
            show(t)


def one_step(t, kind):
    if dist.get_rank() == 0:
        STEPS[kind](t)  # error: [conditional-collective]


def one_step_together(t, kind):
    STEPS[kind](t)
    if dist.get_rank() == 0:
        print(kind)


def own_list(t):
    steps = [lambda: print(t), lambda: dist.all_reduce(t)]
    if dist.get_rank() == 0:
        for step in steps:
            step()  # error: [conditional-collective]


class Trainer:
    def loss(self, batch):
        raise NotImplementedError

    def train(self, engine, rank):
        if rank == 0:
            engine.run()


class Engine:
    def run(self):
        dist.barrier()


class TrainerOne(Trainer):
    def loss(self, batch):
        return batch


class TrainerTwo(Trainer):
    def loss(self, batch):
        return batch


class TrainerThree(Trainer):
    def loss(self, batch):
        return batch


class TrainerFour(Trainer):
    def loss(self, batch):
        return batch


class TrainerFive(Trainer):
    def loss(self, batch):
        return batch


class TrainerSix(TrainerFive):
    def loss(self, batch):
        return batch


class TrainerSeven(Trainer):
    def loss(self, batch):
        return batch


class TrainerEight(Trainer):
    def loss(self, batch):
        return batch


class TrainerNine(Trainer):
    def loss(self, batch):
        return batch


TRAINERS = {
    "one": TrainerOne,
    "two": TrainerTwo,
    "three": TrainerThree,
    "four": TrainerFour,
    "five": TrainerFive,
    "six": TrainerSix,
    "seven": TrainerSeven,
    "eight": TrainerEight,
    "nine": TrainerNine,
}


def trained_by_one_of_many(kind):
    trainer = TRAINERS[kind]()
    trainer.train(Engine(), dist.get_rank())  # error: [conditional-collective]
