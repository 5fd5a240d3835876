"""Who makes groups, and keeps them under their members."""
import torch.distributed as dist


class Keeper:
    def __init__(self):
        self.groups = {}
        self.by_name = {}
        self.size = dist.get_world_size()

    def key(self, ranks):
        bits = "0" * self.size
        for rank in ranks:
            bits = bits[:rank] + "1" + bits[rank + 1 :]
        return bits

    def get_group(self, ranks):
        if len(ranks) == self.size:
            return None
        key = self.key(ranks)
        if key not in self.groups:
            self.groups[key] = dist.new_group(list(ranks))
        return self.groups[key]

    def group_of(self, ranks):
        found = self.by_name.get(self.key(ranks))
        if found is None:
            found = dist.new_group(list(ranks))
            self.by_name[self.key(ranks)] = found
        return found


_KEEPER = None


def keeper():
    global _KEEPER
    if _KEEPER is None:
        _KEEPER = Keeper()
    return _KEEPER
