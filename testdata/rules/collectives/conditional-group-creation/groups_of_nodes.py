"""One group for each node: every rank has to make all of them. How many ranks a node has is not how many there are."""
import torch.distributed as dist


class Topology:
    def __init__(self, gpus_per_node):
        self.rank = dist.get_rank()
        self.gpus_per_node = gpus_per_node
        self.num_nodes = dist.get_world_size() // gpus_per_node
        self.mine = None

    def build(self):
        for node in range(self.num_nodes):
            ranks = list(range(node * self.gpus_per_node, (node + 1) * self.gpus_per_node))
            if self.rank in ranks:
                self.mine = dist.new_group(ranks)  # error: [conditional-group-creation]

    def build_together(self):
        for node in range(self.num_nodes):
            ranks = list(range(node * self.gpus_per_node, (node + 1) * self.gpus_per_node))
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.mine = group
