"""A function that is handed a group, runs one collective on it, and gives another none."""
import torch
import torch.distributed as dist


def sum_up(tensors, group=None):
    for tensor in tensors:
        dist.all_reduce(tensor, group=group)


def agree(ready, group):
    dist.all_reduce(ready, group=group)
    return ready


def same_step(step, group):
    if not group:
        return True
    mine = torch.tensor([float(step)])
    all_steps = [torch.zeros(1) for _ in range(group.size())]
    dist.all_gather(all_steps, mine)  # error: [wrong-group]
    return all(bool(torch.equal(mine, other)) for other in all_steps)


def sum_ready(tensors, ready, group=None):
    dist.all_reduce(ready, group=group)
    sum_up(tensors)  # error: [wrong-group]


def sum_ready_on_the_group(tensors, ready, group=None):
    dist.all_reduce(ready, group=group)
    sum_up(tensors, group)


def on_whichever_there_is(tensor, group=None):
    if group is None:
        dist.all_reduce(tensor)
    else:
        dist.all_reduce(tensor, group=group)


def on_one_or_the_other(tensor, group=None):
    if group is not None:
        dist.all_reduce(tensor, group=group)
        return
    dist.all_reduce(tensor)


def on_all_if_so_set(tensor, whole, group):
    if whole:
        dist.all_reduce(tensor)
    else:
        dist.all_reduce(tensor, group=group)


def between_barriers(tensor, group):
    dist.barrier()
    dist.all_reduce(tensor, group=group)


def on_all(tensor, group):
    agree(tensor, group)
    dist.all_reduce(tensor, group=dist.group.WORLD)


def on_another(tensor, group):
    group = dist.new_group([0, 1], backend=group.name())
    dist.all_reduce(tensor, group=group)
    dist.all_reduce(tensor)


def in_one_line(tensor, group=None):
    print(dist.get_world_size(group))
    return dist.all_reduce(tensor, group=group) if group else dist.all_reduce(tensor)


def of_two_groups(tensor, tensor_pg, data_pg):
    dist.all_reduce(tensor, group=tensor_pg)
    dist.all_reduce(tensor, group=data_pg)
    dist.all_reduce(tensor)


class Layer:
    def __init__(self, size, process_group=None):
        self.weight = torch.zeros(size)
        dist.broadcast(self.weight, src=0, group=process_group)


def a_layer_for_all(tensor, process_group):
    dist.all_reduce(tensor, group=process_group)
    return Layer(tensor.shape[0])


def on_all_where_there_are_no_sizes(tensor, sizes, group=None):
    if sizes is not None:
        dist.reduce_scatter_tensor(tensor, tensor, group=group)
    else:
        dist.all_reduce(tensor)  # error: [wrong-group]


def on_all_where_there_is_one_rank(tensor, group=None):
    if dist.get_world_size(group) > 1:
        dist.all_reduce(tensor, group=group)
    else:
        dist.all_reduce(tensor)


def measure(process_group, handle, t):
    dist.all_reduce(t, group=handle)
    return t / len(process_group)


def told_by_the_first_of_some(t, pg, handle):
    """What is called a group is a list of ranks: the first of them tells all."""
    told = [measure(pg, handle, t)]
    dist.broadcast_object_list(told, src=pg[0])
    return told


def told_by_the_first_of_a_group(t, pg, handle):
    told = [measure(pg, handle, t)]
    dist.broadcast_object_list(told, src=dist.get_global_rank(pg, 0))  # error: [wrong-group]
    return told


class Checkpoints:
    """Whoever loads them hands over no group at all."""

    async def fetch(self, window):
        dist.barrier()
        return window

    def load(self, state, process_group):
        dist.broadcast(state, src=0, group=process_group)

    async def fetch_and_load(self, state, window=None, process_group=None):
        found = await self.fetch_parts(window)  # low: [wrong-group]
        self.load(state, process_group=process_group)
        return found

    async def fetch_parts(self, window, process_group=None):
        parts = [None] * dist.get_world_size()
        dist.all_gather_object(parts, window, group=process_group)
        return parts


async def catch_up(instance, state):
    await instance.checkpoints.fetch_and_load(state, window=3, process_group=None)
