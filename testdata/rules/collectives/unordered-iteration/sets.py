"""Sets around collectives (P19)."""
import torch
import torch.distributed as dist


def literal(losses):
    for name in {"policy", "value"}:  # error: [unordered-iteration]
        dist.all_reduce(losses[name])


def made_into_a_list(losses):
    names = list(set(key for key in losses))
    for name in names:  # error: [unordered-iteration]
        dist.all_reduce(losses[name])


def filled(modules):
    names = set()
    for module in modules:
        names.add(f"{module.kind}.weight")
    for name in names:  # error: [unordered-iteration]
        value = torch.tensor(len(name))
        dist.broadcast(value, src=0)


def common_keys(one, other):
    for key in one.keys() & other.keys():  # error: [unordered-iteration]
        dist.all_reduce(one[key])


def in_a_comprehension(losses):
    names = {"a", "b"}
    return [dist.all_reduce(losses[name], async_op=True) for name in names]  # error: [unordered-iteration]


def groups_by_key(ranks_of):
    groups = {}
    for key in set(str(part) for part in ranks_of):  # error: [unordered-iteration]
        groups[key] = dist.new_group(ranks_of[key])
    return groups


def reduce_one(losses, name):
    dist.all_reduce(losses[name])


def through_a_helper(losses):
    for name in {"policy", "value"}:  # error: [unordered-iteration]
        reduce_one(losses, name)


def reduce_all(losses, names):
    for name in names:  # error: [unordered-iteration]
        dist.all_reduce(losses[name])


def handed_over(losses):
    reduce_all(losses, {"policy", "value"})


def metric_names(config):
    return {f"val/{name}" for name in config}


def from_a_function(losses, config):
    for name in metric_names(config):  # error: [unordered-iteration]
        dist.all_reduce(losses[name])


class Reducer:
    def __init__(self, metrics):
        self.names = set(f"{metric}" for metric in metrics)
        self.order = sorted(self.names)

    def reduce(self, losses):
        for name in self.names:  # error: [unordered-iteration]
            dist.all_reduce(losses[name])

    def reduce_in_step(self, losses):
        for name in self.order:
            dist.all_reduce(losses[name])


def nothing_known(losses, things):
    for thing in set(things):  # low: [unordered-iteration]
        dist.all_reduce(losses[thing])


def dictionary_of_a_set(losses):
    kept = {}
    for name in {"policy", "value"}:
        kept[name] = losses[name]
    for value in kept.values():  # error: [unordered-iteration]
        dist.all_reduce(value)


def members_by_key(specs, owner_of):
    keys = set(spec.key for spec in specs)
    for key in keys:  # error: [unordered-iteration]
        ranks = []
        for index, spec in enumerate(specs):
            if spec.key == key:
                ranks.append(owner_of(index))
        dist.new_group(ranks)


def sorted_by_a_coarse_key(losses, gathered):
    names = set()
    for keys in gathered:
        names.update(keys)
    names = sorted(names, key=lambda name: 0 if "norm" in name else 1)
    for name in names:  # error: [unordered-iteration]
        dist.all_reduce(losses[name])


class Synchronised:
    """Keeps the tensors it is given, each once."""

    def __init__(self, tensors, enabled):
        if not enabled:
            return
        tensors = list(set(tensors))
        self.tensors = [tensor for tensor in tensors if tensor.requires_grad]

    def finish(self):
        works = [dist.broadcast(tensor, 0, async_op=True) for tensor in self.tensors]  # error: [unordered-iteration]
        for work in works:
            work.wait()


class SynchronisedInStep:
    def __init__(self, tensors, enabled):
        if not enabled:
            return
        tensors = sorted(set(tensors), key=lambda tensor: tensor.number)
        self.tensors = [tensor for tensor in tensors if tensor.requires_grad]

    def finish(self):
        works = [dist.broadcast(tensor, 0, async_op=True) for tensor in self.tensors]
        for work in works:
            work.wait()


def deduplicated_on_request(tensors, distinct):
    if distinct:
        tensors = list(dict.fromkeys(tensors))
    for tensor in tensors:
        dist.all_reduce(tensor)
