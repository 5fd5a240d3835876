# -*- coding: latin-1 -*-
import torch.distributed as dist
name = 'café'
if dist.get_rank() == 0:
    dist.barrier()  # über
