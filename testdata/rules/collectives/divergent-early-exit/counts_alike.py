"""Two loops that count on in steps of one size, each for a number of turns that is the same on every rank."""
import torch.distributed as dist
import torch


def generate(args, tokens, tp_group):
    counter = 0
    while True:
        dist.all_reduce(tokens, group=tp_group)  # low: [divergent-early-exit]
        if dist.get_rank(tp_group) == 0:
            for _ in range(args.batch):
                yield tokens
                counter += 1
                if counter >= args.samples:
                    break
        else:
            for _ in range(args.batch):
                yield None
                counter += 1
                if counter >= args.samples:
                    break
        if counter >= args.samples:
            break


def generate_where_one_counts(args, tokens):
    counter = 0
    while True:
        dist.all_reduce(tokens)  # error: [divergent-early-exit]
        if dist.get_rank() == 0:
            for _ in range(args.batch):
                yield tokens
                counter += 1
        if counter >= args.samples:
            break
