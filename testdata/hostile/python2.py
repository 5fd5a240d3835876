import torch.distributed as dist
print 'hello'
exec 'x = 1'
if dist.get_rank() <> 0:
    raise ValueError, 'no'
backticks = `x`
