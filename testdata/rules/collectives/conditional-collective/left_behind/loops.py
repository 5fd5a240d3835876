"""What a script still runs, and what came along with it."""
import torch.distributed as dist


class TrainLoop:
    """Nobody makes one."""

    def load(self, state):
        if dist.get_rank() == 0:
            dist.broadcast(state, src=0)  # low: [conditional-collective]


class EvalLoop:
    def load(self, state):
        if dist.get_rank() == 0:
            dist.broadcast(state, src=0)  # error: [conditional-collective]


class Plugin(EvalLoop):
    """May be found by whoever looks for those below the base."""

    def store(self, state):
        if dist.get_rank() == 0:
            dist.broadcast(state, src=0)  # error: [conditional-collective]


def restore(state):
    """Its calls are commented out."""
    if dist.get_rank() == 0:
        dist.broadcast(state, src=0)  # low: [conditional-collective]


def forgotten(state):
    """No script calls it."""
    if dist.get_rank() == 0:
        dist.broadcast(state, src=0)  # low: [conditional-collective]


@print
def registered(state):
    """Whatever decorates it may call it."""
    if dist.get_rank() == 0:
        dist.broadcast(state, src=0)  # error: [conditional-collective]


def resume(state):
    if dist.get_rank() == 0:
        dist.broadcast(state, src=0)  # error: [conditional-collective]
