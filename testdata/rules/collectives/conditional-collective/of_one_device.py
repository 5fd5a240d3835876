"""A Fabric of one device keeps to its process, however it is made."""
import os

from lightning import Trainer
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy, SingleDeviceStrategy


def of_one_device(fabric: Fabric) -> Fabric:
    fabric = Fabric(strategy=SingleDeviceStrategy(device=fabric.device))
    return fabric


def try_out(fabric: Fabric, player):
    if fabric.is_global_zero:
        alone = of_one_device(fabric)
        player = alone.setup_module(player)
    return player


def try_out_here(fabric: Fabric, player):
    if fabric.is_global_zero:
        alone = Fabric(accelerator="cpu", devices=1)
        player = alone.setup_module(player)
    return player


def try_out_with_all(fabric: Fabric, player):
    if fabric.is_global_zero:
        everywhere = Fabric(strategy=DDPStrategy(), devices=8)
        player = everywhere.setup_module(player)  # error: [conditional-collective]
    return player


def test_all(args, module, loaders):
    trainer = Trainer(accelerator="auto", devices=[args.device])
    if os.path.exists(args.output):
        return
    for loader in loaders:
        trainer.test(module, loader)


def test_all_together(args, module, loaders):
    trainer = Trainer(accelerator="auto", devices=args.devices)
    if os.path.exists(args.output):
        return
    for loader in loaders:
        trainer.test(module, loader)  # low: [divergent-early-exit]
