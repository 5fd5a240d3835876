"""A group for which nobody is named has all ranks as its members."""
import torch.distributed as dist


class Saver:
    def __init__(self, ranks):
        self.rank = dist.get_rank()
        self.all = dist.new_group(backend="gloo")
        self.some = dist.new_group(**ranks)

    def save(self, state):
        if self.rank == 0:
            dist.all_reduce(state, group=self.all)  # error: [conditional-collective]

    def save_some(self, state):
        if self.rank == 0:
            dist.all_reduce(state, group=self.some)  # error: [conditional-collective]
