"""Once the process group is taken down, nobody waits for anybody."""
import torch.distributed as dist


def finish(t):
    dist.all_reduce(t)
    if dist.is_initialized():
        dist.destroy_process_group()
    if int_rank() == 0:
        dist.barrier()


def finish_too_early(t, rank):
    dist.all_reduce(t)
    if rank == 0:
        dist.barrier()  # error: [conditional-collective]
    dist.destroy_process_group()


def begin_again(t, rank):
    dist.destroy_process_group()
    dist.init_process_group("gloo")
    if rank == 0:
        dist.barrier()  # error: [conditional-collective]


def int_rank():
    import os

    return int(os.environ["RANK"])
