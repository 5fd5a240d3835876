"""A group that is made under a setting and kept in an attribute: who comes to use it has it."""
import torch.distributed as dist


class Worker:
    def __init__(self, settings, global_rank):
        self.global_rank = global_rank
        self.settings = settings
        if settings.distributed:
            self.group = dist.new_group([rank for rank in range(settings.world_size)])

    def log(self, values):
        if self.global_rank == 0:
            if self.settings.distributed:
                dist.barrier(self.group)  # error: [conditional-collective]
            print(values)

    def log_together(self, values):
        if self.settings.distributed:
            dist.barrier(self.group)
        if self.global_rank == 0:
            print(values)
