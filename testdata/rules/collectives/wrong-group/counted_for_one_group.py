"""What waits for all ranks counts all ranks: neither a divisor nor a list is that of one group."""
import torch
import torch.distributed as dist
from megatron.core import parallel_state


def mean_over_all_divided_for_a_group(loss, mask):
    mean = (loss * mask).sum() / mask.sum()
    dist.all_reduce(mean)  # error: [wrong-group]
    return mean / dist.get_world_size(parallel_state.get_data_parallel_group())


def mean_in_place(loss):
    replicas = parallel_state.get_data_parallel_group().size()
    dist.all_reduce(loss, op=dist.ReduceOp.SUM)  # error: [wrong-group]
    loss /= replicas
    return loss


def mean_by_a_method(loss, replica_group):
    dist.all_reduce(loss)  # error: [wrong-group]
    return loss.div_(dist.get_world_size(replica_group))


class Saver:
    def __init__(self, ranks):
        self.saver_group = dist.new_group(ranks)

    def steps(self, step):
        places = [torch.zeros_like(step) for _ in range(dist.get_world_size(self.saver_group))]
        dist.all_gather(places, step)  # error: [wrong-group]
        return places

    def names(self, name):
        places = [None] * self.saver_group.size()
        dist.all_gather_object(places, name)  # error: [wrong-group]
        return places

    def names_of_savers(self, name):
        places = [None] * self.saver_group.size()
        dist.all_gather_object(places, name, group=self.saver_group)
        return places

    def in_two_steps(self, loss):
        dist.all_reduce(loss, group=self.saver_group)
        dist.all_reduce(loss)
        return loss / self.saver_group.size()


def mean_of_all(loss):
    dist.all_reduce(loss)
    return loss / dist.get_world_size()


def mean_of_the_world_group(loss):
    dist.all_reduce(loss)
    return loss / dist.get_world_size(group=dist.group.WORLD)


def mean_of_all_by_the_name_of_the_group(loss, world_group):
    dist.all_reduce(loss)
    return loss / dist.get_world_size(world_group)


def scaled_before(loss, sequence):
    loss = loss / dist.get_world_size(parallel_state.get_context_parallel_group())
    dist.all_reduce(loss)
    return loss


def something_else_is_divided(loss, tokens):
    dist.all_reduce(loss)
    return loss, tokens / dist.get_world_size(parallel_state.get_data_parallel_group())


def size_that_may_be_of_all(loss, everywhere):
    replicas = dist.get_world_size(parallel_state.get_data_parallel_group())
    if everywhere:
        replicas = dist.get_world_size()
    dist.all_reduce(loss)
    return loss / replicas
