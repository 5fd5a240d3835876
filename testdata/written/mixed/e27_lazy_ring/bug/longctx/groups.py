from typing import Dict, Tuple

import torch.distributed as dist


class GroupRegistry:
    """Process groups by the tuple of their ranks."""

    def __init__(self):
        self._cache: Dict[Tuple[int, ...], dist.ProcessGroup] = {}

    def get(self, ranks):
        key = tuple(sorted(ranks))
        if key not in self._cache:
            self._cache[key] = dist.new_group(list(key))  # BUG 1
        return self._cache[key]

    def prebuild_contiguous(self, size):
        mine = None
        for s in range(0, dist.get_world_size(), size):
            ranks = range(s, s + size)
            g = self.get(ranks)
            if dist.get_rank() in ranks:
                mine = g
        return mine


registry = GroupRegistry()
