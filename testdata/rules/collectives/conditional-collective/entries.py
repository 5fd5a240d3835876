"""A dictionary has as many keys as values and entries (P09)."""
import torch.distributed as dist


def from_the_last(tensors, last, group):
    if dist.get_rank() == last:
        for name, tensor in tensors.items():
            dist.broadcast_object_list([tensor], src=last, group=group)
    else:
        for name in tensors.keys():
            dist.broadcast_object_list([None], src=last, group=group)


def from_the_last_of_two(tensors, others, last):
    if dist.get_rank() == last:
        for name, tensor in tensors.items():
            dist.broadcast_object_list([tensor], src=last)  # error: [collective-order]
    else:
        for name in others.keys():
            dist.all_reduce(name)
