import torch.distributed as dist
from workload import Workload


class Digits(Workload):
    def on_split(self, split, model):
        loss = model(split)
        dist.all_reduce(loss)
        return loss
