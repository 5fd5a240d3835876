"""What was sent on one group says nothing of the members of another: they may all have been sent the same."""
import torch


class GroupCoordinator:
    def __init__(self, group_ranks, rank):
        for ranks in group_ranks:
            if rank in ranks:
                self.rank_in_group = ranks.index(rank)

    def all_gather(self, tensor):
        return tensor

    def recv_object(self, src):
        return src

    def receive_parts(self, src=None, other: "GroupCoordinator" = None):
        if src is None:
            src = (self.rank_in_group - 1) % self.world_size
        for key, value in self.recv_object(src=src):
            tensor = torch.empty(value.size)
            divided = other is not None and tensor.numel() % 2 == 0
            if divided:
                tensor = other.all_gather(tensor)  # low: [conditional-collective, divergent-loop]
