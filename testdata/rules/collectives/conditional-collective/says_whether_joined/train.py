"""Trains a model on all ranks of `torch.distributed`."""
import comm


class Trainer:
    def __init__(self, model, shows):
        self.model = model
        self.shows = shows

    def step(self, number, batch):
        if number % 500 == 0 and self.shows:
            comm.reduce(batch)

    def log(self, number, batch):
        if number % 500 == 0 and self.shows:
            comm.reduce_if_verbose(batch)


def main(model, batches):
    comm.join()
    trainer = Trainer(model, shows=comm.is_first())
    for number, batch in enumerate(batches):
        trainer.step(number, batch)  # error: [conditional-collective]


def main_with_log(model, batches):
    comm.join()
    trainer = Trainer(model, shows=comm.is_first())
    for number, batch in enumerate(batches):
        trainer.log(number, batch)  # low: [conditional-collective]
