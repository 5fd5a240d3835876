"""`train` of a model is not that of the one class here that has a method of that name."""
import torch
import torch.distributed as dist


class Runner:
    def train(self, batches):
        for batch in batches:
            self.step(batch)
        dist.barrier()


def run(model_ddp, batches):
    for batch in batches:
        try:
            loss = load(batch)
            model_ddp.train()
        except RuntimeError:
            continue
        print(loss)


def run_known(runner: Runner, batches):
    for batch in batches:
        try:
            loss = load(batch)
            runner.train(loss)
        except RuntimeError:  # low: [swallowed-failure]
            continue


def load(path):
    return torch.load(path)
