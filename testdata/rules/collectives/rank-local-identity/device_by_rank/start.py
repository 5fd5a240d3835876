"""Who chooses the device by the rank of the job is for one node, whatever else is asked."""
import torch
import torch.distributed as dist


def start():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
