import torch.distributed as dist


def leader_enters():
    """Everyone but rank 0 waits here until rank 0 has called leader_leaves()."""
    if dist.get_rank() != 0:
        dist.barrier()


def leader_leaves():
    if dist.get_rank() == 0:
        dist.barrier()
