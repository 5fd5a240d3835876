"""Questions for the place on the node, around groups of which nothing is known."""
import torch.distributed as dist


def one_per_node(mesh, index, files):
    group = mesh.get_group(index)
    local_rank = dist.get_node_local_rank()
    if local_rank == 0:
        dist.all_gather_object([None], files, group=group)  # low: [conditional-collective]


def one_of_the_job(mesh, index, files):
    group = mesh.get_group(index)
    if dist.get_rank() == 0:
        dist.all_gather_object([None], files, group=group)  # error: [conditional-collective]


def one_per_node_of_all(files):
    local_rank = dist.get_node_local_rank()
    if local_rank == 0:
        dist.all_gather_object([None], files)  # error: [conditional-collective]
