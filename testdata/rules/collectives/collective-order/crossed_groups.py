"""Two groups with everybody in them, which one rank asks in one order and the others in the other."""
import torch.distributed as dist


class Trainer:
    def __init__(self, model, node_group):
        world = dist.get_world_size()
        self.model = model
        self.node_group = node_group
        self.for_gradients = dist.new_group(list(range(world)))
        self.for_metrics = dist.new_group(list(range(world)))

    def reduce_gradients(self):
        for parameter in self.model.parameters():
            dist.all_reduce(parameter.grad, group=self.for_gradients)

    def reduce_metrics(self, metrics):
        dist.all_reduce(metrics, group=self.for_metrics)

    def step(self, metrics):
        if dist.get_rank() == 0:
            self.reduce_metrics(metrics)  # error: [collective-order]
            print(metrics)
            self.reduce_gradients()
        else:
            self.reduce_gradients()
            self.reduce_metrics(metrics)

    def step_in_order(self, metrics):
        if dist.get_rank() == 0:
            self.reduce_metrics(metrics)
            print(metrics)
            self.reduce_gradients()
        else:
            self.reduce_metrics(metrics)
            self.reduce_gradients()

    def statistics(self, of_all, of_node):
        if dist.get_rank() == 0:
            dist.all_reduce(of_all)  # error: [collective-order]
            dist.all_reduce(of_node, group=self.node_group)
        else:
            dist.all_reduce(of_node, group=self.node_group)
            dist.all_reduce(of_all)


def by_halves(x, low, high):
    """Whoever is in the one half has no business with the group of the other."""
    half = dist.get_world_size() // 2
    if dist.get_rank() < half:
        dist.all_reduce(x)
        dist.all_reduce(x, group=low)  # low: [conditional-collective]
    else:
        dist.all_reduce(x, group=high)
        dist.all_reduce(x)


def by_setting(x, y, some, early):
    if early:
        dist.all_reduce(x)
        dist.all_reduce(y, group=some)
    else:
        dist.all_reduce(y, group=some)
        dist.all_reduce(x)
