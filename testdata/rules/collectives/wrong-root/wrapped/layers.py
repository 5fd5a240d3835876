"""Root and group go down together, through a decorated wrapper; the group is WORLD unless a caller says otherwise."""
import torch.distributed as td

from . import transport


class Shards:
    def __init__(self, params, data_parallel_group=None):
        self.params = params
        if data_parallel_group is None:
            self.group = td.group.WORLD
        else:
            self.group = data_parallel_group

    def get_data_parallel_group(self):
        return self.group

    def share(self):
        for param in self.params:
            transport.send_all(param, 0, self.get_data_parallel_group())  # error: [wrong-root]

    def share_by_name(self):
        for param in self.params:
            transport.send_all(param, src=0, group=self.group)  # error: [wrong-root]

    def share_in_step(self):
        root = td.get_global_rank(self.get_data_parallel_group(), 0)
        for param in self.params:
            transport.send_all(param, root, self.get_data_parallel_group())

    def share_after_asking(self):
        for param in self.params:
            if self.get_data_parallel_group() == td.group.WORLD:
                transport.send_all(param, 0, self.get_data_parallel_group())
            else:
                transport.send_all(param, td.get_global_rank(self.get_data_parallel_group(), 0), self.get_data_parallel_group())

    def share_with_everybody(self):
        for param in self.params:
            transport.send_all(param, 0)
