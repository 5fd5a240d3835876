"""A group for which nobody is named has all ranks as its members."""
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


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


class AsyncSaver:
    def __init__(self, states):
        self.states = states
        self.group = dist.new_group(backend="gloo")
        self.async_future = None

    @property
    def busy(self):
        return self.async_future is not None and not self.async_future.done()

    def save(self, step):
        if not self.busy:
            self.async_future = dcp.async_save(self.states, checkpoint_id=step, process_group=self.group)  # error: [conditional-collective]
