"""Groups that are made of all ranks are no others: what is called a group is WORLD, or made of the same ranks."""
import torch
import torch.distributed as dist


class Layer:
    def __init__(self):
        dist.init_process_group("gloo")
        self.process_group = dist.group.WORLD
        self.cpu_group = dist.new_group(backend="gloo")

    def gathered(self, t):
        parts = [torch.empty_like(t) for _ in range(self.process_group.size())]
        dist.all_gather(parts, t)
        return parts
