"""What a function makes of one part of a tuple that it is handed has nothing to do with the others (P50)."""
import torch.distributed as dist


def find_group(size, mesh):
    if size is None:
        return False, 0
    return True, mesh.get_local_rank("cp")


def find_layout(group):
    enabled, place = group
    if not enabled:
        return False, 0
    return True, place + 1


def wait_where_enabled(size, mesh):
    enabled, _ = find_layout(find_group(size, mesh))
    if enabled:
        dist.barrier()


def wait_at_the_first_place(size, mesh):
    _, place = find_layout(find_group(size, mesh))
    if place == 1:
        dist.barrier()  # error: [wrong-group]


def wait_as_handed(layout):
    rank, world_size = layout
    if rank == 0:
        dist.barrier()  # error: [conditional-collective]
