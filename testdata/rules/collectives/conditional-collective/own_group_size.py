"""Each rank keeps the size of the one group it belongs to: the same on every member, and usually on every rank."""

import torch.distributed as dist


class Coordinator:
    def __init__(self, groups, use_buffers):
        self.rank = dist.get_rank()
        self.group = None
        for ranks in groups:
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.world_size = len(ranks)
                self.group = group
        if use_buffers and self.world_size > 1:
            self.handshake()

    def handshake(self):
        dist.barrier(group=self.group)
