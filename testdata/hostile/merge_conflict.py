import torch.distributed as dist
<<<<<<< ours
if dist.get_rank() == 0:
    dist.barrier()
=======
dist.barrier()
>>>>>>> theirs
