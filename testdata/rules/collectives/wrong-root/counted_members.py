"""A root that counts the members of a group is a place in that group, not a rank of the job."""
import torch
import torch.distributed as dist


def each_sends(tensors, group):
    for rank in range(dist.get_world_size(group)):
        dist.broadcast(tensors[rank], src=rank, group=group)  # error: [wrong-root]


class Sharded:
    def __init__(self, params, group=None):
        self.group = group if group is not None else dist.group.WORLD
        self.world_size = dist.get_world_size(self.group)
        self.parts = [[] for _ in range(self.world_size)]
        for at, param in enumerate(params):
            self.parts[at % self.world_size].append(param)

    def step(self):
        for rank, params in enumerate(self.parts):
            for param in params:
                dist.broadcast(param, src=rank, group=self.group)  # error: [wrong-root]

    def step_with_ranks_of_the_job(self):
        for rank, params in enumerate(self.parts):
            for param in params:
                dist.broadcast(param, src=dist.get_global_rank(self.group, rank), group=self.group)

    def step_with_ranks_of_the_group(self):
        for rank, params in enumerate(self.parts):
            for param in params:
                dist.broadcast(param, group_src=rank, group=self.group)


def whole_job(tensors):
    for rank in range(dist.get_world_size()):
        dist.broadcast(tensors[rank], src=rank)


def its_ranks(tensors, group):
    for at, rank in enumerate(dist.get_process_group_ranks(group)):
        dist.broadcast(tensors[at], src=rank, group=group)


class Adapter:
    """Each pipeline has a last stage of its own."""

    def __init__(self, model):
        self.model = model

    def share(self, results):
        last = self.model.grid.stage_to_global(self.model.num_stages - 1)
        sums = torch.zeros(len(results))
        dist.broadcast(sums, src=last)  # error: [wrong-root]
        return sums

    def share_in_the_pipeline(self, results):
        last = self.model.grid.stage_to_global(self.model.num_stages - 1)
        sums = torch.zeros(len(results))
        dist.broadcast(sums, src=last, group=self.model.grid.get_pipe_parallel_group())
        return sums
