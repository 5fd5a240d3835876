"""A setting that is asked for one word after the other is one of them: whoever reads the settings refuses others."""

import argparse

import torch.distributed as dist


def train(args, captured, value):
    if dist.get_rank() in captured:
        if args.capture == "torch":
            dist.all_reduce(value)
        elif args.capture == "cupti":
            dist.all_reduce(value)
    else:
        dist.all_reduce(value)


def train_without_one(args, captured, value):
    if dist.get_rank() in captured:
        if args.capture == "torch":
            dist.all_reduce(value)
        elif args.capture == "cupti":
            print("captured")
    else:
        dist.all_reduce(value)  # error: [conditional-collective]


def train_in_one_way(args, captured, value):
    """Asked for one word alone: there are others."""
    if dist.get_rank() in captured:
        if args.capture == "torch":
            dist.all_reduce(value)
    else:
        dist.all_reduce(value)  # error: [conditional-collective]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--capture", choices=["torch", "cupti"])
    train(parser.parse_args(), [0], None)
