"""What a decorator lets one rank do is written by one, wherever it is called."""
import torch
import torch.distributed as dist
from mine import is_main_process, main_process


class Runner:
    @main_process
    def save(self, path):
        torch.save(self.state, path)

    def save_open(self, path):
        torch.save(self.state, path)

    def train(self, path):
        if is_main_process():
            self.save(path)
            self.save_open(path)
        self.save(path)
        self.save_open(path)  # error: [write-race]
        dist.barrier()
