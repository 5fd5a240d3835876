"""Builds per-node and auxiliary process groups at start-up."""
import os

import torch
import torch.distributed as dist


class NodeGroups:
    def __init__(self, gpus_per_node):
        self.gpus = gpus_per_node
        self.rank = dist.get_rank()
        self.num_nodes = dist.get_world_size() // gpus_per_node
        self.node = self.rank // gpus_per_node

    def _ranks(self, node):
        return list(range(node * self.gpus, (node + 1) * self.gpus))

    def build_compute(self):
        mine = None
        for node in range(self.num_nodes):
            group = dist.new_group(self._ranks(node))
            if node == self.node:
                mine = group
        return mine

    def build_copy(self):
        order = sorted(range(self.num_nodes), key=lambda n: n != self.node)
        groups = {}
        for node in order:
            groups[node] = dist.new_group(self._ranks(node))  # BUG 1
        return groups[self.node]

    def build_cache(self, cache_root):
        if os.path.isdir(cache_root):
            return dist.new_group(backend="gloo")  # BUG 2
        return None


def initialise(cfg):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    groups = NodeGroups(cfg.gpus_per_node)
    compute = groups.build_compute()
    copy = groups.build_copy()
    cache = groups.build_cache("/local_nvme/cache") if cfg.use_cache else None
    return compute, copy, cache
