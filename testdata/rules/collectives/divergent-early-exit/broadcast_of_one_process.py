"""What a strategy broadcasts all have, though that for one process hands back what it is handed."""
import torch.distributed as dist


class Strategy:
    def broadcast(self, found):
        raise NotImplementedError


class OneDevice(Strategy):
    def broadcast(self, found):
        return found


class ManyDevices(Strategy):
    def broadcast(self, found):
        objects = [found]
        dist.broadcast_object_list(objects, src=0)
        return objects[0]


class Trainer:
    def __init__(self, strategy: Strategy, files):
        self.strategy = strategy
        self.files = files

    def is_there(self, path):
        return self.files.exists(path) if dist.get_rank() == 0 else False

    def save(self, path, total):
        if self.strategy.broadcast(self.is_there(path)):
            return
        dist.all_reduce(total)

    def save_by_itself(self, path, total):
        if self.is_there(path):
            return
        dist.all_reduce(total)  # error: [divergent-early-exit]
