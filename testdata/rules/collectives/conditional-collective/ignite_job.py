"""PyTorch Ignite: what its `idist` does together, and what it lets one rank do."""
import ignite.distributed as idist
import torch
from ignite.engine import Events


def accuracy(correct, total):
    return idist.all_reduce(correct) / idist.all_reduce(total)


@idist.one_rank_only()
def report(correct, total):
    print(accuracy(correct, total))


def attach(trainer, correct, total):
    def validate(engine):
        print(accuracy(correct, total))

    if idist.get_rank() == 0:
        trainer.add_event_handler(Events.EPOCH_COMPLETED, validate)  # error: [conditional-collective]


def attach_in_step(trainer, correct, total):
    def validate(engine):
        value = accuracy(correct, total)
        if idist.get_rank() == 0:
            print(value)

    trainer.add_event_handler(Events.EPOCH_COMPLETED, validate)


def run(batches):
    correct, total = torch.zeros(1), torch.zeros(1)
    for batch in batches:
        correct += batch.sum()
        total += batch.numel()
    report(correct, total)  # error: [conditional-collective]
    idist.barrier()
    folders = ["out" if idist.get_rank() == 0 else ""]
    if idist.all_gather(folders[0])[0]:
        idist.barrier()
