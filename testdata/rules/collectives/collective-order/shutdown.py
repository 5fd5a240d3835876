"""An exit barrier on one side pairs with the work of the other."""
import torch.distributed as dist


class Worker:
    def __init__(self, t):
        self.t = t
        self.rank = dist.get_rank()

    def _lead(self):
        dist.broadcast(self.t, src=0)
        dist.barrier()

    def _follow(self):
        dist.barrier()
        dist.broadcast(self.t, src=0)

    def run(self):
        if self.rank == 0:
            self._lead()  # error: [collective-order]
        else:
            self._follow()


class OrderedWorker:
    def __init__(self, t):
        self.t = t
        self.rank = dist.get_rank()

    def _lead(self):
        self.t.zero_()
        dist.broadcast(self.t, src=0)
        dist.barrier()

    def _follow(self):
        dist.broadcast(self.t, src=0)
        dist.barrier()

    def run(self):
        if self.rank == 0:
            self._lead()
        else:
            self._follow()
