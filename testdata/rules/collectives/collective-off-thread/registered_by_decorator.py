"""Functions that a decorator registers to be run when the process ends."""
import atexit

import torch.distributed as dist


class Manager:
    @atexit.register
    @staticmethod
    def clean_up():  # error: [collective-off-thread]
        dist.barrier()
        dist.destroy_process_group()

    @staticmethod
    def clean_up_when_asked():
        dist.barrier()
        dist.destroy_process_group()


@atexit.register
def say_goodbye():
    print("done")


@atexit.register
def leave():  # low: [collective-off-thread]
    dist.destroy_process_group()
