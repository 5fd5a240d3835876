"""A block that talks past the envelope, and code that does not."""
import torch.distributed as dist

from .envelope import gathered


def leak(hidden, mesh, options):
    dist.broadcast(hidden, src=0, group=mesh)  # error: [ad-hoc-broadcast]
    dist.broadcast_object_list([options], src=0, group=mesh)  # error: [ad-hoc-broadcast]
    dist.scatter(hidden, None, src=0, group=mesh)  # error: [ad-hoc-broadcast]


def announced(tensors, tensor_specs, mesh):
    for spec in tensor_specs:
        dist.broadcast(tensors[spec.key], src=0, group=mesh)


def through_the_envelope(tensors, mesh):
    latents = gathered(tensors, "latents")
    dist.broadcast(latents, src=0, group=mesh)
    dist.broadcast(gathered(tensors, "context"), src=0, group=mesh)


def collectives(hidden, mesh, bus):
    dist.all_reduce(hidden, group=mesh)
    dist.barrier(group=mesh)
    bus.broadcast(hidden)
