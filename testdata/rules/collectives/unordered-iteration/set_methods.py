"""Sets that a method of the same object makes: the names of parameters are strings, whatever they are called."""
import torch.distributed as dist


class Averager:
    def __init__(self, model, skipped):
        self.model = model
        self.skipped = skipped

    def names(self):
        found = {n for n, p in self.model.named_parameters() if p.requires_grad}
        return found - {n for n in found if n.startswith(self.skipped)}

    def average(self):
        parameters = dict(self.model.named_parameters())
        for name in self.names():  # error: [unordered-iteration]
            dist.all_reduce(parameters[name].data)

    def average_in_order(self):
        parameters = dict(self.model.named_parameters())
        for name in sorted(self.names()):
            dist.all_reduce(parameters[name].data)
