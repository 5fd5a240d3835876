"""Names that a function puts into a set and hands back with something else."""
import torch.distributed as dist


def states_of(module):
    states = {}
    for name, child in module.named_modules():
        for key, value in child.state_dict().items():
            states[f"{name}.{key}"] = value
    return states


def names_to_sync(module, frozen):
    states = states_of(module)
    names = {n for n, t in states.items() if t.is_floating_point()}
    return names - set(frozen), states


def sync(module, frozen):
    names, states = names_to_sync(module, frozen)
    for name in names:  # error: [unordered-iteration]
        dist.all_reduce(states[name])


def sync_states(module, frozen):
    _, states = names_to_sync(module, frozen)
    for name in states:
        dist.all_reduce(states[name])


def sync_sorted(module, frozen):
    names, states = names_to_sync(module, frozen)
    names = sorted(names)
    for name in names:
        dist.all_reduce(states[name])


def sizes_to_sync(buckets):
    return {n for n, _ in buckets.items()}, len(buckets)


def sync_sizes(buckets):
    chosen, count = sizes_to_sync(buckets)
    for size in chosen:  # low: [unordered-iteration]
        dist.all_reduce(buckets[size])
    return count


def counted_names(module):
    return len(list(module.modules())), set(states_of(module)), ["first", "second"]


def sync_the_rest(module, states):
    *_, names = counted_names(module)
    for name in names:
        dist.all_reduce(states[name])
