"""Some ranks leave a method before it sets what is asked afterwards."""
import torch.distributed as dist


class Watch:
    def __init__(self):
        self.stop = False
        self.seen = 0

    def check(self, loss):
        if dist.get_rank() != 0:
            return
        self.stop = loss > 3

    def count(self, loss):
        if loss is None:
            return
        self.seen += 1

    def fit(self, n):
        for i in range(n):
            dist.barrier()  # error: [divergent-early-exit]
            self.check(i)
            if self.stop:
                break

    def fit_counted(self, n):
        for i in range(n):
            dist.barrier()
            self.count(i)
            if self.seen > 3:
                break


def fit(n):
    watch = Watch()
    for i in range(n):
        dist.barrier()  # error: [divergent-early-exit]
        watch.check(i)
        if watch.stop:
            break
