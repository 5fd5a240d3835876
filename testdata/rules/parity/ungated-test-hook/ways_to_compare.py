"""Ways to compare keys that are not one list and one gather."""
import hashlib
import json
import os

import torch
import torch.distributed as dist

KEYS = frozenset({"SCOPE_TEST_SET"})
DEFAULTS = {"SCOPE_TEST_DICT": "0"}


def agree(values):
    out = [None] * dist.get_world_size()
    dist.all_gather_object(out, values)
    assert all(one == out[0] for one in out)


def by_parameter():
    agree({key: os.environ.get(key) for key in sorted(KEYS)})


def by_loop():
    values = {}
    for key, default in DEFAULTS.items():
        values[key] = os.environ.get(key, default)
    agree(values)


def by_digest(device):
    flags = [os.environ.get("SCOPE_TEST_DIGEST", "")]
    digest = hashlib.sha256(json.dumps(flags).encode()).digest()
    mine = torch.tensor(list(digest), device=device)
    everyone = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, mine)
    assert all(torch.equal(one, mine) for one in everyone)


def by_vote(device):
    vote = torch.tensor([int(os.environ.get("SCOPE_TEST_VOTE", "0"))], device=device)
    dist.all_reduce(vote)
    return vote.item()


def by_store(store, rank):
    store.set(f"flags/{rank}", json.dumps({"SCOPE_TEST_STORE": os.environ.get("SCOPE_TEST_STORE")}))
    if store.get("flags/0") != store.get(f"flags/{rank}"):
        raise RuntimeError("flags differ")


def test_only(prefix):
    return os.environ.get("SCOPE_TEST_SET"), os.environ.get("SCOPE_TEST_DICT"), os.environ.get("SCOPE_TEST_DIGEST")


def more():
    return os.environ.get("SCOPE_TEST_VOTE"), os.environ.get("SCOPE_TEST_STORE")


def unchecked():
    if os.environ.get("SCOPE_TEST_GATHER"):  # error: [ungated-test-hook]
        out = [None] * dist.get_world_size()
        dist.all_gather_object(out, "hello")  # error: [ungated-collective-flag]
