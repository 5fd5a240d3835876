import torch
import torch.distributed as dist


class Head:
    def __init__(self, process_group):
        self.process_group = process_group
        self.size = dist.get_world_size(process_group)

    def gather(self, output):
        parts = [torch.empty_like(output) for _ in range(self.process_group.size())]
        dist.all_gather(parts, output)
        return torch.cat(parts, dim=-1)
