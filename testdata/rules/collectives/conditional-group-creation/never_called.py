"""Lambdas and inner functions that nobody calls make no groups."""
import torch.distributed as dist


def make(mesh, axis):
    clone = lambda group: dist.new_group(dist.get_process_group_ranks(group))  # noqa: E731  # low: [conditional-group-creation]
    return mesh.get_group(axis)


def make_and_clone(mesh, axis):
    clone = lambda group: dist.new_group(dist.get_process_group_ranks(group))  # noqa: E731  # error: [conditional-group-creation]
    return clone(mesh.get_group(axis))


def make_inside(mesh, axis):
    def copied(group):
        return dist.new_group(dist.get_process_group_ranks(group))  # low: [conditional-group-creation]

    return mesh.get_group(axis)
