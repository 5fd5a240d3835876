"""Members of a group that have compared what they hold raise together: nobody is left to wait for them."""
import torch
import torch.distributed as dist


def total(value, group):
    if group:
        out = torch.tensor(value)
        dist.all_reduce(out, group=group)
        return out.item()
    return value


def compared(group, value):
    if group:
        out = total(value, group)
        if out != value * group.size():
            raise RuntimeError("ranks have come to different places")


class Wrapper:
    def __init__(self, ranks):
        self.group = dist.new_group(ranks)
        self.leads = dist.get_rank() == ranks[0]

    def collect(self, result):
        compared(self.group if self.leads else None, 7)
        found = [None] * dist.get_world_size()
        dist.all_gather_object(found, result)
        return found


def collect_what_is_there(path, result):
    if dist.get_rank() == 0:
        found = read(path)
        if found is None:
            raise FileNotFoundError(path)  # error: [divergent-early-exit]
    everything = [None] * dist.get_world_size()
    dist.all_gather_object(everything, result)
    return everything
