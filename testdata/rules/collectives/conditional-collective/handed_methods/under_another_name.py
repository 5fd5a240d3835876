"""A method of the object itself, called by another name: classes below have their own."""
import torch.distributed as dist


class Hook:
    def run(self, state):
        if dist.get_rank() != 0:
            return
        handler = self.finish
        handler(state)  # error: [divergent-early-exit]

    def finish(self, state):
        pass


class Speed(Hook):
    def finish(self, state):
        dist.all_reduce(state)


class Quiet:
    def run(self, state):
        if dist.get_rank() != 0:
            return
        handler = self.end
        handler(state)

    def end(self, state):
        pass
