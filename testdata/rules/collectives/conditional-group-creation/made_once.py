"""A process group that is made only where it is not there yet: whoever asks later finds it (P24)."""
import torch.distributed as dist


class State:
    def __init__(self):
        if not dist.is_initialized():
            dist.init_process_group("gloo")
        self.rank = dist.get_rank()


def announce(text):
    if dist.get_rank() == 0:
        print(State().rank, text)
