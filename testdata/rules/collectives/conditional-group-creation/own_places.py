"""Groups whose members each rank works out from its own place, by sizes that are not known (P15)."""
import os

import torch
import torch.distributed as dist


class Grid:
    def __init__(self, tp_size, pp_size, dp_size):
        self.rank = dist.get_rank()
        self.world_size = dist.get_world_size()
        assert self.world_size == tp_size * pp_size * dp_size, "as many ranks as places"
        self.grid = torch.arange(self.world_size).view(pp_size, dp_size, tp_size)
        self.pp_rank, self.dp_rank, self.tp_rank = (self.grid == self.rank).nonzero().flatten().tolist()
        self.tp_ranks = self.grid[self.pp_rank, self.dp_rank, :].tolist()
        self.tp_group = dist.new_group(self.tp_ranks)  # error: [conditional-group-creation]


def neighbours(tp):
    start = dist.get_rank() // tp * tp
    return dist.new_group(list(range(start, start + tp)))  # error: [conditional-group-creation]


def by_row(grid, tp):
    return dist.new_group(grid[dist.get_rank() // tp].tolist())  # error: [conditional-group-creation]


def neighbours_in_step(tp):
    mine = None
    for start in range(0, dist.get_world_size(), tp):
        ranks = list(range(start, start + tp))
        group = dist.new_group(ranks)
        if dist.get_rank() in ranks:
            mine = group
    return mine


def in_turn(grid, places):
    # These are the places of all ranks, whatever they are called.
    for name, pp_rank in places:
        print(name, dist.new_group(grid[pp_rank]))
    for ranks in [grid[pp_rank, tp_rank] for pp_rank, tp_rank in places]:
        dist.new_group(ranks)


def as_many_as_on_a_node(hosts, host):
    here = [rank for rank in range(dist.get_world_size()) if hosts[rank] == host[dist.get_rank()]]
    for start in range(0, dist.get_world_size(), 8):
        dist.new_group(list(range(start, start + len(here))))


def rank_or_first():
    try:
        return dist.get_rank()
    except RuntimeError:
        return 0


def alone():
    return dist.new_group([rank_or_first()])


def read(name):
    return int(os.environ[name])


def from_the_launcher(count):
    first = read("RANK") - read("LOCAL_RANK")
    return dist.new_group([first + place for place in range(count)])  # error: [conditional-group-creation]


def from_the_launcher_in_step(count):
    return dist.new_group([place for place in range(read("WORLD_SIZE")) if place < count])
