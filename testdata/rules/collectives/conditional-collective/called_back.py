"""A function that one rank hands to a library issues what its peers do in a loop of their own."""
import torch.distributed as dist


def search(trainer, trials, study):
    if dist.get_rank() == 0:

        def objective(trial):
            dist.broadcast_object_list([trial], src=0)
            return trainer.train()

        study.optimize(objective, trials)
        return study.best
    else:
        for _ in range(trials):
            dist.broadcast_object_list([None], src=0)  # low: [conditional-collective]
            trainer.train()


def search_quietly(trainer, trials, study):
    if dist.get_rank() == 0:

        def objective(trial):
            return trainer.train(trial)

        study.optimize(objective, trials)
        return study.best
    else:
        for _ in range(trials):
            dist.broadcast_object_list([None], src=0)  # error: [conditional-collective]
            trainer.train()


def search_alone(trainer, trials, study):
    if dist.get_rank() == 0:

        def objective(trial):
            dist.broadcast_object_list([trial], src=0)
            return trainer.train()

        study.optimize(len(trials))
        return study.best
    else:
        for _ in range(trials):
            dist.broadcast_object_list([None], src=0)  # error: [conditional-collective]
            trainer.train()


def meet(rank, trials, study):
    if rank > 2:

        def objective(trial):
            dist.barrier()

        dist.barrier()
        study.optimize(objective, trials)


def search_below(rank, trials, study):
    meet(rank, trials, study)  # error: [conditional-collective]


def wait():
    dist.barrier()


def search_and_wait(rank, trials, study):
    if rank > 2:

        def objective(trial):
            dist.barrier()

        study.optimize(objective, trials)
        wait()  # error: [conditional-collective]


def search_beside(rank, trials, study):
    if trials:

        def objective(trial):
            dist.barrier()

        study.optimize(objective, trials)
    if rank == 0:
        dist.barrier()  # error: [conditional-collective]


class Trainer:
    def train(self):
        dist.barrier()


def sweep(agent, number):
    trainer = Trainer()
    if dist.get_rank() == 0:
        agent(number, function=trainer.train, count=1)
    else:
        trainer.train()  # low: [conditional-collective]


def sweep_otherwise(agent, number):
    trainer = Trainer()
    if dist.get_rank() == 0:
        agent(number, function=print, count=1)
    else:
        trainer.train()  # error: [conditional-collective]
