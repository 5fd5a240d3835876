import torch.distributed as dist


class BaseTrainer:
    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()

    @property
    def is_main(self):
        return self.rank == 0

    def fence(self):
        dist.barrier()

    def on_save(self, path):
        raise NotImplementedError

    def save(self, path):
        self.on_save(path)
        self.fence()
