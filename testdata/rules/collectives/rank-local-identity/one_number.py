"""A file that knows of no rank within the node is for one node."""
import torch
import torch.distributed as dist


def join(model):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    return model.to(torch.device("cuda", dist.get_rank()))


def join_by_a_name(model):
    local_rank = dist.get_rank()
    print(torch.cuda.current_device())
    torch.cuda.set_device(local_rank)
