"""One rank joins the job and waits there for the others (P24)."""
import torch.distributed as dist


def made_by_one(rank):
    if rank == 0:
        dist.init_process_group("gloo")  # error: [conditional-group-creation]
