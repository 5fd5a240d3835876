"""Fabric communicates on the group that its strategy was made with."""
import torch.distributed as dist
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy


def train(model, group):
    fabric = Fabric(strategy=DDPStrategy(process_group=group))
    return fabric.setup(model)


def train_on_all(model):
    fabric = Fabric(strategy=DDPStrategy())
    return fabric.setup(model)


def main(model):
    group = dist.new_group(list(range(1, dist.get_world_size())))
    if dist.get_rank() != 0:
        train(model, group)  # low: [conditional-collective]


def main_on_all(model):
    if dist.get_rank() != 0:
        train_on_all(model)  # error: [conditional-collective]
