"""An object that knows a place on the disk: one method asks for it, and one rank has another make it."""
import os
import pickle

import torch.distributed as dist


class Cache:
    def __init__(self, path):
        self.path = path
        self.log = path + ".log"

    def exists(self):
        return os.path.exists(self.path)

    def build(self, samples):
        with open(self.path, "wb") as file:
            pickle.dump(samples, file)

    def note(self, samples):
        with open(self.log, "w") as file:
            file.write(str(len(samples)))


class Data:
    def __init__(self, path):
        self.cache = Cache(path)
        self.other = Cache(path + ".other")

    def setup(self, samples):
        if not self.cache.exists():
            if dist.get_rank() == 0:
                self.cache.build(samples)
            dist.barrier()  # error: [conditional-collective]

    def setup_another(self, samples):
        if not self.cache.exists():
            if dist.get_rank() == 0:
                self.other.build(samples)
            dist.barrier()  # low: [conditional-collective]

    def setup_noting(self, samples):
        if not self.cache.exists():
            if dist.get_rank() == 0:
                self.cache.note(samples)
            dist.barrier()  # low: [conditional-collective]

    def setup_all(self, samples):
        if dist.get_rank() == 0 and not self.cache.exists():
            self.cache.build(samples)
        dist.barrier()
