"""What all ranks have made on their way is there when they ask for it."""
import os

import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter


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


def run(args, t):
    if not os.path.exists(args.work_dir):
        os.makedirs(args.work_dir)
    dist.all_reduce(t)


def run_elsewhere(args, t):
    if not os.path.exists(args.first_dir):
        os.makedirs(args.first_dir)  # error: [file-race]
    dist.all_reduce(t)


def name_it(settings):
    settings.work_dir = "first" if dist.get_rank() == 0 else "others"


def begin(options, t):
    """Whether there is a path at all is asked on all ranks."""
    if options.work_dir:
        os.makedirs(options.work_dir, exist_ok=True)
    if dist.get_rank() == 0:
        if options.first_dir:
            os.makedirs(options.first_dir, exist_ok=True)
    run_elsewhere(options, t)
    run(options, t)
    dist.barrier()


def name_and_make(names):
    names.log_dir = os.path.join(names.root, names.name)
    os.makedirs(names.log_dir, exist_ok=True)


def write_down(names, t):
    if not os.path.exists(names.log_dir):
        os.makedirs(names.log_dir)
    dist.all_reduce(t)


def write_down_elsewhere(names, t):
    if not os.path.exists(names.other_dir):
        os.makedirs(names.other_dir)  # error: [file-race]
    dist.all_reduce(t)


def begin_with_names(names, t):
    if names.go:
        name_and_make(names)
        write_down(names, t)
        write_down_elsewhere(names, t)
    dist.barrier()


def write_down_in_the_other_arm(names, t):
    if not os.path.exists(names.log_dir):
        os.makedirs(names.log_dir)  # error: [file-race]
    dist.all_reduce(t)


def begin_in_either_arm(names, t):
    if names.makes:
        name_and_make(names)
    else:
        write_down_in_the_other_arm(names, t)
    dist.barrier()


def evaluate_into(args, name, results):
    run = os.path.join(args.result_path, name)
    os.makedirs(run, exist_ok=True)
    dist.all_reduce(results)
    if not os.path.exists(args.result_path):
        os.makedirs(args.result_path)
    if not os.path.exists(args.table_path):
        os.makedirs(args.table_path)  # error: [file-race]
    return results


class Log:
    def __init__(self, log_dir, tasks):
        self.writer = SummaryWriter(log_dir=log_dir)
        self.tasks = tasks


def train_with_log(args, name, results):
    run = os.path.join(args.run_path, name)
    logs = os.path.join(run, "logs")
    log = Log(logs, args.tasks)
    dist.all_reduce(results)
    if not os.path.exists(args.run_path):
        os.makedirs(args.run_path)
    if not os.path.exists(logs + "-old"):
        os.makedirs(logs + "-old")  # error: [file-race]
    return log


def one_of_two(args, name, results):
    run = os.path.join(args.first_path, name)
    if args.second:
        run = os.path.join(args.second, name)
    os.makedirs(run, exist_ok=True)
    dist.all_reduce(results)
    if not os.path.exists(args.first_path):
        os.makedirs(args.first_path)  # error: [file-race]
    return results


def keep(folder, state):
    if not os.path.exists(folder):
        os.makedirs(folder)
    return state


def keep_at_once(folder, state):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    return state


def train_and_keep(options, state):
    """One rank makes the folder, and all wait for it."""
    if not os.path.exists(options.folder) and dist.get_rank() == 0:
        os.makedirs(options.folder)
    dist.barrier()
    keep(options.folder, state)
    if dist.get_rank() == 0:
        os.makedirs(options.other)
    keep_at_once(options.other, state)
    dist.barrier()


def keep_behind_a_sum(folder, state):
    if not os.path.exists(folder):
        os.makedirs(folder)  # error: [file-race]
    return state


def sum_and_keep(options, state):
    """Who issues a sum on a device does not wait for it."""
    if dist.get_rank() == 0:
        os.makedirs(options.kept)
    dist.all_reduce(state)
    keep_behind_a_sum(options.kept, state)
    dist.barrier()
