"""A function that is handed a group and says its name nowhere: it waits for all ranks."""
import torch.distributed as dist


def average(tensor, group=None):
    dist.all_reduce(tensor)  # error: [wrong-group]
    return tensor / dist.get_world_size()


def average_in_group(tensor, group=None):
    dist.all_reduce(tensor, group=group)
    return tensor / dist.get_world_size(group)


def wait(group=None):
    dist.barrier()  # error: [wrong-group]


class Backend:
    def reduce(self, tensor, group):
        raise NotImplementedError


class OneGroup(Backend):
    """The interface hands one over that this one does not need."""

    def reduce(self, tensor, group):
        dist.all_reduce(tensor)


def hook(tensor, group):
    """The function that is handed back runs on the group."""

    def averaged(bucket):
        return dist.all_reduce(bucket, group=group)

    dist.all_reduce(tensor)
    return averaged
