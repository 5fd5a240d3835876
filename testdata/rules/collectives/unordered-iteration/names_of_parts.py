"""A set is filled with the names of a model's parts, whatever they are called, and what is sent for each in turn."""
import torch.distributed as dist


def reduce_trained(model):
    trained = set()
    for n, p in model.named_parameters():
        if p.requires_grad:
            trained.add(n)
    parameters = dict(model.named_parameters())
    for n in trained:  # error: [unordered-iteration]
        dist.all_reduce(parameters[n].grad)


def send_each(state, names, peer):
    for name in set(names):  # error: [unordered-iteration]
        if dist.get_rank() == 0:
            dist.send(state[name], dst=peer)
        else:
            dist.recv(state[name], src=0)
    dist.barrier()


def reduce_counted(rows):
    counted = set()
    for n, row in enumerate(rows):
        if row.requires_grad:
            counted.add(n)
    for n in counted:
        dist.all_reduce(rows[n].grad)
