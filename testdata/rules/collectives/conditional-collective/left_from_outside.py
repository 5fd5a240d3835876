"""An attribute that the constructor only begins, and that whoever makes the object sets to what differs between ranks."""
import torch.distributed as dist
import torch.multiprocessing as mp


class Learner:
    def __init__(self):
        self.reports = True
        self.logs = True

    def train(self, batches, x):
        for batch in batches:
            if self.reports:
                dist.all_reduce(x)
            if self.logs:
                dist.barrier()


def run(number, x):
    learner = Learner()
    learner.reports = number == 0
    learner.train(range(10), x)


def worker(number, count, x):
    dist.init_process_group("nccl")
    run(number, x)  # error: [conditional-collective]


if __name__ == "__main__":
    mp.spawn(worker, args=(4, None), nprocs=4)
