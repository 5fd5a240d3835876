import torch.distributed as dist
def f():    if dist.get_rank() == 0:
        dist.barrier()

