"""A root that a method says in one word."""
import torch.distributed as dist


class Context:
    def __init__(self, size):
        rank, world = dist.get_rank(), dist.get_world_size()
        for start in range(0, world, size):
            ranks = list(range(start, start + size))
            group = dist.new_group(ranks)
            if rank in ranks:
                self.tp_group, self.first = group, start


class Loader:
    def __init__(self, context: Context):
        self.context = context

    def source(self):
        return 0

    def source_of_group(self):
        return self.context.first

    def batch(self, tensor):
        dist.broadcast(tensor, src=self.source(), group=self.context.tp_group)  # error: [wrong-root]

    def batch_of_group(self, tensor):
        dist.broadcast(tensor, src=self.source_of_group(), group=self.context.tp_group)
