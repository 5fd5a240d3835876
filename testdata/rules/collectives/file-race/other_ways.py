"""A way on which ranks communicate says nothing of another one; what a function of one process does is done by one."""
import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(config, model):
    if not os.path.exists(config.log_dir):
        os.mkdir(config.log_dir)
    return model


def train_together(config, model):
    dist.init_process_group("nccl")
    if not os.path.exists(config.log_dir):
        os.mkdir(config.log_dir)  # error: [file-race]
    return DistributedDataParallel(model)


def main(args, config, model):
    if args.alone:
        train(config, model)
    else:
        train_together(config, model)


def evaluate(args, folder, results):
    if args.only_tables:
        if not os.path.exists(folder):
            os.makedirs(folder)
        return results
    dist.all_reduce(results)
    return results


def evaluate_all(args, folder, results):
    if args.tables:
        if not os.path.exists(folder):
            os.makedirs(folder)  # error: [file-race]
    dist.all_reduce(results)
    return results


def evaluate_again(args, folder, results):
    for step in range(args.steps):
        if step % 2:
            dist.all_reduce(results)
        else:
            if not os.path.exists(folder):
                os.makedirs(folder)  # error: [file-race]
    return results


def create_submission(folder, results):
    dist.all_reduce(results)
    if not os.path.exists(folder):
        os.makedirs(folder)  # low: [file-race]
    return results


def of_one_rank_by_key(options, folder, results):
    dist.all_reduce(results)
    if options["local_rank"] == 0:
        if not os.path.exists(folder):
            os.makedirs(folder)
    return results


def of_some_mode_by_key(options, folder, results):
    dist.all_reduce(results)
    if options["mode"] == "train":
        if not os.path.exists(folder):
            os.makedirs(folder)  # error: [file-race]
    return results
