"""Failures that everybody hears of, or that everybody meets."""

import os
import sys

import torch
import torch.distributed as dist


def raised_again(path, total):
    try:
        total += torch.load(path)
        dist.all_reduce(total)
    except Exception as error:
        print(error)
        raise


def wrapped(path, total):
    try:
        total += torch.load(path)
        dist.all_reduce(total)
    except OSError as error:
        raise RuntimeError(path) from error


def ended(path, total):
    try:
        total += torch.load(path)
        dist.all_reduce(total)
    except OSError:
        sys.exit(1)


def fail(reason):
    print(reason)
    raise SystemExit(reason)


def ended_by_a_function(path, total):
    try:
        total += torch.load(path)
        dist.all_reduce(total)
    except OSError:
        fail("no shard")


def voted(path):
    failed = 0
    try:
        part = torch.load(path)
    except OSError:
        part = None
        failed = 1
    flag = torch.tensor([failed])
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    if flag.item():
        return None
    dist.barrier()
    return part


def errors_gathered(path, size):
    problem = None
    try:
        part = torch.load(path)
    except OSError as error:
        problem = error
        part = None
    problems = [None] * size
    dist.all_gather_object(problems, problem)
    if any(problems):
        raise RuntimeError(problems)
    return part


def kept_for_later(paths, total, errors):
    for path in paths:
        try:
            total += torch.load(path)
            dist.all_reduce(total)
        except OSError as error:
            errors.append(error)


def last_in_a_retry(path):
    for _ in range(3):
        try:
            part = torch.load(path)
            dist.barrier()
            break
        except OSError:
            continue
    return part


def behind_the_retry(path):
    for _ in range(3):
        try:
            part = torch.load(path)
            break
        except OSError:
            continue
    dist.barrier()
    return part


def only_the_collective(total):
    try:
        dist.all_reduce(total)
    except RuntimeError:
        print("best effort")


def optional(total):
    try:
        import fancy

        fancy.start()
        dist.all_reduce(total)
    except ImportError:
        print("without")


def behind_the_collective(path, total):
    try:
        dist.all_reduce(total)
        torch.save(total, path)
    except OSError as error:
        print(error)


def nothing_follows(path):
    try:
        os.remove(path)
    except OSError:
        return False
    return True


def goes_on(path):
    try:
        os.remove(path)
    except OSError:
        print("was gone")
    dist.barrier()
