"""Loops of one rank that return, fail or go round, and all come to what follows (P09)."""
import torch.distributed as dist


def split(state, numbers):
    if len(numbers) == 0:
        return
    kinds = {}
    for key in state.keys():
        if key != "whole":
            for kind in state[key].keys():
                assert kind not in kinds
                if kind[0] == "uint8":
                    return
                kinds[kind] = key
    for number in numbers:
        assert number in kinds


def scatter(state, numbers, buffers):
    if dist.get_rank() == 0:
        split(state, numbers)
    for buffer in buffers:
        dist.all_reduce(buffer)


def leave(state, buffers):
    if dist.get_rank() == 0:
        for key in state.keys():
            if key != "whole":
                return
    for buffer in buffers:
        dist.all_reduce(buffer)  # error: [divergent-early-exit]
