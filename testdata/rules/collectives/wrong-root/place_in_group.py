"""A root that is compared with this rank's place in the group is no rank of the job (P23)."""
import torch.distributed as dist


class Bucket:
    def __init__(self, owner, registry, ParallelMode):
        self.owner = owner
        self.mode = ParallelMode
        self.registry = registry
        self.is_mine = registry.get_local_rank(ParallelMode.DATA) == owner

    def fill(self, flat, ParallelMode):
        dist.broadcast(flat, self.owner, group=self.registry.get_group(ParallelMode.DATA))  # error: [wrong-root]

    def drain(self, flat, ParallelMode):
        dist.reduce(flat, dst=self.owner, group=self.registry.get_group(ParallelMode.DATA))  # error: [wrong-root]


class TranslatedBucket:
    def __init__(self, keeper, registry, ParallelMode):
        self.registry = registry
        self.is_mine = registry.get_local_rank(ParallelMode.DATA) == keeper
        self.root = registry.get_ranks_in_group(ParallelMode.DATA)[keeper]

    def fill_in_step(self, flat, ParallelMode):
        dist.broadcast(flat, self.root, group=self.registry.get_group(ParallelMode.DATA))


def collect(part, dst, group):
    """The arm in which `rank` is `dst` and the other name the same root."""
    rank = dist.get_rank(group)
    if rank == dst:
        parts = [None] * dist.get_world_size(group)
        dist.gather_object(part, parts, dst=dist.get_global_rank(group, rank), group=group)
        return parts
    dist.gather_object(part, dst=dist.get_global_rank(group, dst), group=group)
    return None


def from_last(losses, stages, is_last, group):
    """Roots of a subgroup, worked out in two ways."""
    if is_last:
        dist.broadcast(losses, src=dist.get_rank(), group=group)
    else:
        dist.broadcast(losses, src=stages.to_global(-1), group=group)


def within_replica(t, shard_size, replicas):
    root = dist.get_rank() % shard_size
    dist.broadcast(t, src=root, group=replicas)


def own_rank(t, tp_group):
    dist.broadcast(t, src=dist.get_rank(), group=tp_group)  # error: [wrong-root]
