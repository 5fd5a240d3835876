from datetime import timedelta

import torch.distributed as dist


def main(work):
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    work()
    dist.destroy_process_group()
