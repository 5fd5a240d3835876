"""Who calls the rank of the job the rank within the node has one node."""
import torch.distributed as dist


def start():
    dist.init_process_group("nccl")
    local_rank = dist.get_rank()
    print(f"{local_rank} has started")
