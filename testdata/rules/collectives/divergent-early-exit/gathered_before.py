"""What all ranks have gathered is handed to the one that shows it, which gathers only where it was handed nothing: a dict is
something."""
import torch.distributed as dist


class Metrics:
    def __init__(self, values):
        self.values = values

    def gather(self):
        dist.all_reduce(self.values)
        return {name: value.item() for name, value in self.values.items()}

    def show(self, step, gathered=None):
        if dist.get_rank() != 0:
            return
        results = self.gather() if gathered is None else gathered  # error: [divergent-early-exit]
        print(step, results)


def evaluate(values, step):
    metrics = Metrics(values)
    gathered = metrics.gather()
    metrics.show(step, gathered=gathered)


def evaluate_and_show(values, step):
    metrics = Metrics(values)
    if dist.get_rank() == 0:
        print(step)
    metrics.show(step)
