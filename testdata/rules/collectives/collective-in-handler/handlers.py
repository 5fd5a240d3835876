"""Collectives in `except`, and what healthy ranks issue meanwhile."""

import json

import torch
import torch.distributed as dist


def agree(flag):
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return flag.item()


def alone(path):
    try:
        with open(path) as file:
            return json.load(file)
    except ValueError:
        agree(torch.ones(1))  # error: [collective-in-handler]
        return None


def both_arms(path):
    try:
        with open(path) as file:
            settings = json.load(file)
    except OSError:
        agree(torch.ones(1))
        return None
    else:
        agree(torch.zeros(1))
    return settings


def at_the_end_of_the_block(path):
    try:
        with open(path) as file:
            settings = json.load(file)
        agree(torch.zeros(1))
    except OSError:
        agree(torch.ones(1))
        return None
    return settings


def fallback_for_everybody(out, tensor):
    try:
        dist.all_gather_into_tensor(out, tensor)
    except NotImplementedError:
        dist.all_gather(list(out.chunk(2)), tensor)


def missing_package(flag):
    try:
        import fancy
    except ImportError:
        agree(flag)
        return None
    return fancy


def local_handler(path):
    try:
        return torch.load(path)
    except OSError as error:
        print("no checkpoint", error)
        raise
