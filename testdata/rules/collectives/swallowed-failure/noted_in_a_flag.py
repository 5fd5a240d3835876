"""Handlers that note a failure in a flag, and collectives of those that have come through."""
import json

import torch
import torch.distributed as dist


def only_where_read(path, tensor):
    ok = True
    try:
        with open(path) as file:
            print(file.read())
    except OSError:  # error: [swallowed-failure]
        ok = False
    if ok and tensor is not None:
        dist.all_reduce(tensor)


def nothing_read(path, tensor):
    try:
        data = json.loads(path.read_text())
    except Exception as error:  # error: [swallowed-failure]
        print(error)
        data = None
    print("read")
    if data is not None:
        dist.all_reduce(tensor)


def not_where_failed(path, tensor):
    failed = False
    try:
        print(path.read_text())
    except OSError:  # error: [swallowed-failure]
        failed = True
    if not failed:
        dist.all_reduce(tensor)


def voted(path, tensor):
    """The ranks agree on it first."""
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    vote = torch.tensor([int(ok)])
    dist.all_reduce(vote, op=dist.ReduceOp.MIN)
    if ok:
        dist.all_reduce(tensor)


def both_ways(path, tensor):
    """Who has failed does its part."""
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    if ok:
        dist.all_reduce(tensor)
    else:
        dist.all_reduce(torch.zeros(1))


def same_either_way(path, tensor):
    done = True
    try:
        print(path.read_text())
    except OSError:
        done = True
    if done:
        dist.all_reduce(tensor)


def set_again(path, tensor):
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    ok = True
    if ok:
        dist.all_reduce(tensor)


def has_library(tensor):
    """A library is there for all or for nobody."""
    try:
        import apex

        there = True
    except ImportError:
        there = False
    if there:
        dist.all_reduce(tensor)


def asks_for_more(path, tensor):
    """Another reason may let it in."""
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    if ok or tensor is not None:
        dist.all_reduce(tensor)


def ends_where_failed(path, tensor):
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    if ok:
        dist.all_reduce(tensor)
    else:
        raise RuntimeError(path)


def asserted_first(path, tensor):
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    assert ok
    if ok:
        dist.all_reduce(tensor)


def leaves_where_failed(path, tensor):
    ok = True
    try:
        print(path.read_text())
    except OSError:  # error: [swallowed-failure]
        ok = False
    if not ok:
        return
    dist.all_reduce(tensor)


def leaves_after_a_vote(path, tensor):
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    vote = torch.tensor([int(ok)])
    dist.all_reduce(vote, op=dist.ReduceOp.MIN)
    if not ok:
        return
    dist.all_reduce(tensor)


def leaves_with_nothing_behind(path):
    ok = True
    try:
        print(path.read_text())
    except OSError:
        ok = False
    if not ok:
        return
    print("done")


def leaves_with_what_it_caught(path, tensor):
    failure = None
    try:
        tensor = torch.load(path)
    except OSError as error:  # error: [swallowed-failure]
        failure = error
    if failure is not None:
        return
    dist.all_reduce(tensor)


def leaves_when_all_know(path, tensor):
    failure = None
    try:
        tensor = torch.load(path)
    except OSError as error:
        failure = error
    vote = torch.tensor([int(failure is not None)])
    dist.all_reduce(vote, op=dist.ReduceOp.MAX)
    if failure is not None:
        return
    dist.all_reduce(tensor)
