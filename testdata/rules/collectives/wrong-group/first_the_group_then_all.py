"""Who sums over a group and then over all means both."""
import torch.distributed as dist


def sum_in_two_steps(heat, group=None):
    dist.all_reduce(heat, group=group)
    heat = heat.clamp(max=1)
    dist.all_reduce(heat)
    return heat


def run(loss, count, group):
    dist.all_reduce(count, group=group)
    dist.all_reduce(loss)  # low: [wrong-group]
    return loss.item() / dist.get_world_size()


def sum_something_else(heat, second, group):
    dist.all_reduce(heat, group=group)
    heat = second()
    dist.all_reduce(heat)  # error: [wrong-group]
    return heat


def run_by_its_size(loss, count, group):
    dist.all_reduce(count, group=group)
    dist.all_reduce(loss)  # error: [wrong-group]
    return loss.item() / dist.get_world_size(group)


def forget_the_other(heat, count, group):
    dist.all_reduce(heat, group=group)
    dist.all_reduce(count)  # error: [wrong-group]
    return heat / count
