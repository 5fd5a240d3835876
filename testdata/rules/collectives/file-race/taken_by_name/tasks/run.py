"""Runs a task, whose expert is taken by its name from the module that a setting names."""
import argparse
import importlib

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Runner:
    def __init__(self, args):
        self.args = args

    def expert(self):
        path = f"tasks.{self.args.task}.expert"
        Expert = getattr(importlib.import_module(path), "TaskExpert")
        model = Expert(self.args.folder)
        dist.barrier()
        return DDP(model, device_ids=[self.args.local_rank])

    def shown(self):
        Shown = getattr(importlib.import_module("tasks.shown"), "Shown")
        if dist.get_rank() == 0:
            Shown(self.args.folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--task")
    parser.add_argument("--folder")
    parser.add_argument("--local_rank", type=int)
    dist.init_process_group("nccl")
    runner = Runner(parser.parse_args())
    runner.expert()
    runner.shown()
