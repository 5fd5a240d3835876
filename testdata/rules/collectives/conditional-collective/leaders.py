"""Who leads belongs to the group of leaders: the question and the group have their names in common."""
import torch.distributed as dist


class Reducer:
    def __init__(self, topology):
        self.leader_group = topology.leader_group
        self.node_group = topology.node_group
        self.is_leader = dist.get_rank() % topology.per_node == 0

    def reduce(self, tensor):
        dist.all_reduce(tensor, group=self.node_group)
        if self.is_leader:
            dist.all_reduce(tensor, group=self.leader_group)  # low: [conditional-collective]
