"""A barrier that belongs to one of several modes, of which a list holds those that are evaluated."""

import torch.distributed as dist


def load(local_rank, split="train"):
    if local_rank not in [-1, 0] and split == "train":
        dist.barrier()
    data = [split]
    if local_rank == 0 and split == "train":
        dist.barrier()
    return data


def evaluate(args, languages):
    splits = []
    for language in languages:
        splits.append(("dev", language))
    if args.test:
        for language in languages:
            splits.append(("test", language))
    for split, language in splits:
        print(load(args.local_rank, split=split))


def log(args, languages):
    if args.local_rank in [-1, 0]:
        evaluate(args, languages)  # low: [conditional-collective]


def write(mode):
    if mode == "train":
        dist.barrier()


def log_training(args):
    if args.local_rank in [-1, 0]:
        write("train")  # error: [conditional-collective]
        write("dev")


def log_own(args, splits):
    if args.local_rank in [-1, 0]:
        for split, language in splits[args.local_rank]:
            write(split)  # error: [conditional-collective]  # low: [divergent-loop]
