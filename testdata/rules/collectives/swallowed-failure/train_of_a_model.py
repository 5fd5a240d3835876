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


def run_all(runner, batches):
    for batch in batches:
        try:
            loss = load(batch)
            runner.train(loss)
        except RuntimeError:  # low: [swallowed-failure]
            continue


def on_the_first_rank(model_ddp, runner, batches):
    if dist.get_rank() == 0:
        model_ddp.train()
    if dist.get_rank() == 0:
        runner.train(batches)  # error: [conditional-collective]


def load(path):
    return torch.load(path)
