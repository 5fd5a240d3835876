"""Owns the wire: header, manifest, tensors."""
import torch
import torch.distributed as dist


def build_specs(tensors):
    return sorted((key, tuple(value.shape), str(value.dtype)) for key, value in tensors.items())


def gathered(tensors, key):
    return tensors[key].contiguous()


def send(header, meta, tensors, group):
    tensor_specs = build_specs(tensors)
    dist.broadcast(header, src=0, group=group)
    dist.broadcast_object_list([meta, tensor_specs], src=0, group=group)
    for key, _, _ in tensor_specs:
        dist.broadcast(tensors[key].contiguous(), src=0, group=group)


def empty(shape):
    return torch.empty(shape)
