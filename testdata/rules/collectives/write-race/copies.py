"""Files that every rank copies or writes to one place, as data sets and frames write them."""
import os
import shutil

import torch.distributed as dist


def finish(args, frame, data):
    dist.barrier()
    shutil.copyfile(args.config, os.path.join(args.output, "config.json"))  # error: [write-race]
    frame.to_json(os.path.join(args.output, "frame.json"))
    data.save_to_disk(os.path.join(args.output, "data"))


def keep(args, data):
    data.save_to_disk(os.path.join(args.output, "data"))  # error: [write-race]
    dist.barrier()


def finish_once(args, data):
    dist.barrier()
    if dist.get_rank() == 0:
        shutil.copyfile(args.config, os.path.join(args.output, "config.json"))
        data.save_to_disk(os.path.join(args.output, "data"))
    shutil.copyfile(args.config, os.path.join(args.output, f"config-{dist.get_rank()}.json"))
    text = data.to_json()
    dist.barrier()
    return text


class Keeper:
    def __init__(self, path):
        self.path = path

    def keep(self):
        shutil.copyfile(self.path, self.path + ".before")


def keep_by_main(job, path):
    keeper = Keeper(path)
    dist.barrier()
    if job.main:
        keeper.keep()
    dist.barrier()


def main(job, path):
    keep_by_main(job, path)
