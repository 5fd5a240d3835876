"""Shares of equal length by construction, and shares that are not (P05)."""
import torch
import torch.distributed as dist


def local_indices(rank, world_size, length):
    indices = list(range(length))
    while len(indices) % world_size != 0:
        indices.extend(indices[: world_size - len(indices) % world_size])
    return indices[rank::world_size]


def filled_up(t, length):
    for index in local_indices(dist.get_rank(), dist.get_world_size(), length):
        dist.all_reduce(t[index])


def padded(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    items = items + items[: -len(items) % world]
    for item in items[rank::world]:
        dist.all_reduce(item)


def rounded(features, num_gpus, rank, size):
    count = ((len(features) - 1) // size // num_gpus + 1) * num_gpus
    batches = torch.nn.functional.pad(features, [0, 0, 0, -len(features) % count]).chunk(count)
    for batch in batches[rank::num_gpus]:
        for source in range(num_gpus):
            dist.broadcast(batch, src=source)


def keys_of_its_own(state):
    rank = dist.get_rank()
    for key in sorted(list(state.keys())):
        parts = None
        if rank == 0:
            parts = [torch.zeros_like(state[key]) for _ in range(dist.get_world_size())]
        dist.gather(state[key], gather_list=parts, dst=0)
        if rank == 0:
            state[key] = torch.cat(parts)
    for key in state:
        dist.all_reduce(state[key])


def key_of_another(state, name, t):
    if dist.get_rank() == 0:
        state[name] = t
    for key in state:
        dist.all_reduce(state[key])  # low: [divergent-loop]


def ragged(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    for item in items[rank::world]:
        dist.all_reduce(item)  # error: [divergent-loop]


def other_multiple(items, per):
    rank, world = dist.get_rank(), dist.get_world_size()
    items = items + items[: -len(items) % per]
    for item in items[rank::world]:
        dist.all_reduce(item)  # error: [divergent-loop]


def keys_of_another(state, more):
    if dist.get_rank() == 0:
        for key in more:
            state[key] = more[key]
    for key in state:
        dist.all_reduce(state[key])  # low: [divergent-loop]


def shortened(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    items = items[: len(items) // world]
    for item in items[rank::world]:
        dist.all_reduce(item)  # error: [divergent-loop]


def put_in_its_place(position, more):
    found = torch.zeros(more)
    if dist.get_rank() == 0:
        found[position] = 1
    for number in found:
        dist.all_reduce(number)


def put_in_a_list(position, more, t):
    parts = [t] * more
    if dist.get_rank() == 0:
        parts[position] = t + 1
    for part in parts:
        dist.all_reduce(part)


def loaded_and_added_to(path, more):
    state = torch.load(path)
    if dist.get_rank() == 0:
        for key in more:
            state[key] = more[key]
    for key in state:
        dist.all_reduce(state[key])  # low: [divergent-loop]


def split_by_number(rank, world_size, indices):
    mine = indices.split(indices.size(0) // world_size)[rank]
    for index in mine:
        dist.all_reduce(index)


def split_by_size(rank, size, indices):
    mine = indices.split(size)[rank]
    for index in mine:
        dist.all_reduce(index)  # error: [divergent-loop]
