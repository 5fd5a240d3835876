"""Others do with calls of their own what a library does for the first: each has its barrier."""
import torch
import torch.distributed as dist
from megatron.core import mpu
from megatron.training.checkpointing import save_checkpoint as save_natively


def save(iteration, model, optimizer, scheduler, path):
    if mpu.get_data_parallel_rank() == 0:
        save_natively(iteration, model, optimizer, scheduler)  # low: [wrong-group]
        return
    torch.save(model.state_dict(), path)
    dist.barrier()


def save_alone(iteration, model, optimizer, scheduler, path):
    if mpu.get_data_parallel_rank() == 0:
        save_natively(iteration, model, optimizer, scheduler)  # error: [wrong-group]
        return
    torch.save(model.state_dict(), path)
