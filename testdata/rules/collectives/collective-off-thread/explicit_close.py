"""What needs its peers is closed in the main sequence."""

import atexit
import threading

import torch
import torch.distributed as dist


class Engine:
    def __init__(self, total):
        self.total = total
        self.file = open("engine.log", "a")
        atexit.register(self.file.close)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def close(self):
        dist.barrier()
        self.file.close()

    def __del__(self):
        self.file.close()


class Saver:
    """Writes beside the training, on a group that nobody else uses."""

    def __init__(self):
        self.group = dist.new_group(backend="gloo")

    def save(self, state, path):
        torch.save(state, path)  # error: [write-race]
        dist.barrier(group=self.group)

    def begin(self, state, path):
        self.thread = threading.Thread(target=self.save, args=(state, path))
        self.thread.start()

    def train(self, batches, total):
        self.begin(total, "total.pt")
        for _ in batches:
            dist.all_reduce(total)
        self.thread.join()
