"""Ranks that name different roots (P23)."""
import torch.distributed as dist
from mpi4py import MPI


def pairs(t):
    rank = dist.get_rank()
    dist.broadcast(t, src=rank % 2)  # error: [wrong-root]


def pairs_in_step(t, step):
    dist.broadcast(t, src=step % dist.get_world_size())


class Holder:
    def __init__(self):
        self.rank = dist.get_rank()

    def publish(self, obj):
        box = [obj]
        dist.broadcast_object_list(box, src=self.rank)  # error: [wrong-root]
        return box[0]

    def publish_in_step(self, obj):
        out = []
        for root in range(dist.get_world_size()):
            box = [obj if root == self.rank else None]
            dist.broadcast_object_list(box, src=root)
            out.append(box[0])
        return out


def owner(t, shards):
    source = 0 if dist.get_rank() < 2 else 2
    dist.broadcast(t, src=source)  # error: [wrong-root]


def owner_in_step(t, index):
    dist.broadcast(t, src=index // 4)
