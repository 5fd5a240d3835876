"""Whether a thing is there, and what it is made of (P50)."""
import torch.distributed as dist


def penalty(batch, scale):
    return batch * scale


class Trainer:
    def __init__(self, model, scale=None):
        self.model = model
        self.scale = scale

    def features(self, out):
        return getattr(out, "features", None)

    def step(self, images):
        mine = images[dist.get_rank() :: dist.get_world_size()]
        out = self.model(mine)
        if out.features is not None:
            dist.all_reduce(out.features)  # low: [conditional-collective]

    def step_of_some(self, images):
        mine = images[dist.get_rank() :: dist.get_world_size()]
        out = None
        if len(mine) > 0:
            out = self.model(mine)
        if out is not None:
            dist.all_reduce(out)  # error: [conditional-collective]


def load(make, get, flag):
    tokenizer = make() if dist.get_rank() == 0 else get()
    if tokenizer is None:
        dist.barrier()  # low: [conditional-collective]


def load_on_the_first(make):
    tokenizer = make() if dist.get_rank() == 0 else None
    if tokenizer is None:
        dist.barrier()  # error: [conditional-collective]


def wait_with_session(runtime, path, other):
    if dist.get_rank() == 0:
        path = other
    session = runtime.InferenceSession(path)
    if session is not None:
        dist.barrier()


def wait_with_what_is_found(runtime, path, other):
    if dist.get_rank() == 0:
        path = other
    session = runtime.find_session(path)
    if session is not None:
        dist.barrier()  # low: [conditional-collective]
