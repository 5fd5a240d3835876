"""Orders that processes share, and sets whose order does not matter (P19)."""
import torch
import torch.distributed as dist


def in_order(losses):
    names = {"policy", "value"}
    for name in sorted(names):
        dist.all_reduce(losses[name])


def sorted_in_place(losses):
    names = list({"policy", "value"})
    names.sort()
    for name in names:
        dist.all_reduce(losses[name])


def sorted_later(losses):
    names = {"policy", "value"}
    names = sorted(names)
    for name in names:
        dist.all_reduce(losses[name])


def numbers(ranks):
    for owner in {0, 1, 2}:
        dist.broadcast(torch.zeros(1), src=owner)
    for first in set(range(4)):
        dist.new_group([first, first + 4])
    for root in set(ranks):
        dist.broadcast(torch.zeros(1), src=root)


def only_as_often(names):
    for _ in {"policy", "value"}:
        dist.barrier()
    for name in {"policy", "value"}:
        print(name)
        dist.barrier()


def nothing_issued(losses, total):
    for name in {"policy", "value"}:
        total += losses[name]
    dist.all_reduce(total)


def only_asked(losses, wanted):
    wanted = set(wanted)
    for name in losses:
        if name in wanted:
            dist.all_reduce(losses[name])


def a_dictionary(losses):
    for name in losses:
        dist.all_reduce(losses[name])
    for name, value in {"a": losses, "b": losses}.items():
        dist.all_reduce(value)


def arithmetic(counts, other):
    for value in counts - other:
        dist.all_reduce(value)


def one_element(losses):
    for name in {"policy"}:
        dist.all_reduce(losses[name])


def reduce_in_order(losses, names):
    names = sorted(names)
    for name in names:
        dist.all_reduce(losses[name])


def handed_to_one_that_sorts(losses):
    reduce_in_order(losses, {"policy", "value"})


def sorted_by_a_fine_key(losses, gathered):
    names = set()
    for keys in gathered:
        names.update(keys)
    names = sorted(names, key=lambda name: (len(name), name))
    for name in names:
        dist.all_reduce(losses[name])


def collected_before_one_collective(losses):
    found = []
    for name in {"policy", "value"}:
        found.append(losses[name])
        dist.barrier()
    return found
