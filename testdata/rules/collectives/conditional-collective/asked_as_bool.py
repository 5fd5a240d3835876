"""A switch that is asked as it is here, and as a `bool` there."""

import torch.distributed as dist


class Saver:
    def __init__(self, config):
        self.config = config

    def save(self):
        if dist.get_rank() == 0 or self.config.use_deepspeed or self.config.use_fsdp:
            self.write()

    def write(self):
        all_write = bool(getattr(self.config, "use_deepspeed", False) or getattr(self.config, "use_fsdp", False))
        if all_write and self.config.through_a_temporary_folder:
            dist.barrier()

    def save_at_last(self):
        if dist.get_rank() == 0 or self.config.use_deepspeed or self.config.use_fsdp:
            self.write_at_last()  # error: [conditional-collective]

    def write_at_last(self):
        if bool(self.config.through_a_temporary_folder):
            dist.barrier()


def drain(todo):
    pending = []
    for index, item in enumerate(todo):
        if index % dist.get_world_size() == dist.get_rank():
            pending.append(item)
    if bool(pending):
        dist.barrier()  # low: [conditional-collective]
