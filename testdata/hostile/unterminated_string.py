import torch.distributed as dist
x = 'no end
if dist.get_rank() == 0:
    dist.barrier()
y = '''also
no end
