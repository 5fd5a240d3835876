from datetime import timedelta

import torch.distributed as dist


def start():
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    return dist.new_group(backend="gloo", timeout=timedelta(minutes=90))


def stop():
    dist.destroy_process_group()
