import os
from datetime import timedelta


def start():
    os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"
    os.environ["NCCL_TIMEOUT"] = "60"
    return timedelta(seconds=int(os.environ["NCCL_TIMEOUT"]))
