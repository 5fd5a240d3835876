from .. import is_leader, mean_across_ranks
from ..comm import barrier as sync


def epoch(model, losses):
    for loss in range(10):
        model.step(loss)
    if is_leader():
        average = mean_across_ranks(sum(losses))  # error: [conditional-collective]
        print(average)


def epoch_in_step(model, losses):
    average = mean_across_ranks(sum(losses))
    if is_leader():
        print(average)
    sync()


def checkpoint(model, path):
    if is_leader():
        model.save(path)
        sync()  # error: [conditional-collective]


def checkpoint_in_step(model, path):
    if is_leader():
        model.save(path)
    sync()
