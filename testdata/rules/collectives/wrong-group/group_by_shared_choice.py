"""Which group it is depends on a question that all ranks answer alike, and so does who gets here."""
import torch.distributed as dist


def save(mesh, x):
    group = None
    if mesh is not None:
        first = mesh.get_local_rank(0) == 0
        if first:
            group = mesh.get_group(1)
    else:
        first = True
    if first:
        dist.all_reduce(x, group=group)
    dist.barrier()


def forgets(mesh, x):
    group = None
    first = mesh.get_local_rank(0) == 0
    if first:
        group = mesh.get_group(1)
    dist.all_reduce(x, group=group)  # error: [wrong-group]
    dist.barrier()
