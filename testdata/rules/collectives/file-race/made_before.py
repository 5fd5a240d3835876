"""What all ranks have made on their way is there when they ask for it."""
import os

import torch.distributed as dist


def check_path(path):
    os.makedirs(path, exist_ok=True)


def submit(path, results):
    if not os.path.exists(path):
        os.makedirs(path)
    return results


def submit_somewhere(path, results):
    if not os.path.exists(path):
        os.makedirs(path)  # error: [file-race]
    return results


def write(folder, results):
    os.makedirs(folder, exist_ok=True)
    dist.all_reduce(results)
    if not os.path.isdir(folder):
        os.makedirs(folder)
    return results


def main(args, results):
    check_path(args.output_path)
    submit(args.output_path, results)
    submit_somewhere(args.other_path, results)
    dist.barrier()


def save(args, epoch, state):
    if not os.path.exists(args.save_path):
        os.makedirs(args.save_path)
    return state, epoch


def save_once_more(given, epoch, state):
    return save(given, epoch, state)


def save_elsewhere(args, epoch, state):
    if not os.path.exists(args.elsewhere):
        os.makedirs(args.elsewhere)  # error: [file-race]
    return state, epoch


def train(options, state):
    if not os.path.exists(options.save_path):
        os.makedirs(options.save_path)  # error: [file-race]
    for epoch in range(8):
        dist.all_reduce(state)
        save_once_more(options, epoch, state)
        save_elsewhere(options, epoch, state)
