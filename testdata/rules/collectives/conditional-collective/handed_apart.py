"""Functions that communicate, handed on some ranks to whoever calls them back."""
import torch
import torch.distributed as dist


def validate(engine):
    total = torch.zeros(1)
    dist.all_reduce(total)
    return total


def show(engine):
    print(engine)


def train(trainer, events, rank):
    if rank == 0:
        trainer.add_event_handler(events.EPOCH_COMPLETED, show)
        trainer.add_event_handler(events.EPOCH_COMPLETED, validate)  # error: [conditional-collective]
    trainer.run()


def train_in_step(trainer, events, rank, interval):
    if interval > 0:
        trainer.add_event_handler(events.EPOCH_COMPLETED, validate)
    if rank == 0:
        trainer.add_event_handler(events.EPOCH_COMPLETED, show)
    trainer.run()


def train_closed(trainer, events, loader):
    rank = dist.get_rank()

    def evaluate(engine):
        correct = torch.zeros(1)
        for batch in loader:
            correct += batch.sum()
        dist.all_reduce(correct)

    if rank != 0:
        return trainer.run()
    trainer.add_event_handler(events.EPOCH_COMPLETED, evaluate)  # error: [conditional-collective]
    return trainer.run()
