"""What a function sets on what it is handed is known where its caller asks for it, whatever it is called."""
import os

import torch
import torch.distributed as dist
from megatron import mpu


def prepare(args):
    args.chief = int(os.environ["RANK"]) == 0
    args.verbose = True
    return args


def agree(args, flag):
    dist.broadcast(flag, src=0)
    args.going = bool(flag)


def main(args, tensor):
    args = prepare(args)
    if args.chief:
        dist.all_reduce(tensor)  # error: [conditional-collective]
    if args.verbose:
        dist.all_reduce(tensor)


def main_by_name(options, tensor):
    prepare(args=options)
    if options.chief:
        dist.all_reduce(tensor)  # error: [conditional-collective]


def main_agreed(args, flag, tensor):
    agree(args, flag)
    if args.going:
        dist.all_reduce(tensor)


def main_replaced(args, load, tensor):
    prepare(args)
    args = load()
    if args.chief:
        dist.all_reduce(tensor)


def load_on_first(args, load):
    if mpu.get_model_parallel_rank() == 0:
        args.do_valid = load() is not None
        found = torch.cuda.LongTensor([int(args.do_valid)])
    else:
        found = torch.cuda.LongTensor([0])
    dist.broadcast(found, mpu.get_model_parallel_src_rank(), group=mpu.get_model_parallel_group())
    args.do_valid = found[0].item()


def main_loaded(args, load, tensor):
    load_on_first(args, load)
    if args.do_valid:
        dist.all_reduce(tensor)
