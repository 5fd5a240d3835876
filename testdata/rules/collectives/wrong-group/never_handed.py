"""A group that a function may be handed, and that nobody hands it: all ranks are meant."""
import torch.distributed as dist


def average_of_all(tensor, group=None):
    dist.all_reduce(tensor)  # low: [wrong-group]
    return tensor / dist.get_world_size()


def average(tensor, group=None):
    dist.all_reduce(tensor)  # error: [wrong-group]
    return tensor / dist.get_world_size()


def average_as_told(tensor, group=None):
    dist.all_reduce(tensor)  # error: [wrong-group]
    return tensor / dist.get_world_size()


def average_in_its_group(tensor, group):
    dist.all_reduce(tensor)  # error: [wrong-group]
    return tensor / dist.get_world_size()


def norms(states, part, settings):
    states = average_of_all(states)
    states = average_as_told(states, **settings)
    return average(average(states), part)
