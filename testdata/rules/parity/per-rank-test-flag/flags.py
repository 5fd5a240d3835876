"""Test flags that are not the same on every rank."""
import os
import subprocess

import torch.distributed as dist


def names(rank):
    a = os.environ.get(f"SCOPE_TEST_{rank}")  # error: [per-rank-test-flag]
    b = os.environ.get("SCOPE_TEST_DROP_" + str(dist.get_rank()))  # error: [per-rank-test-flag]
    me = int(os.environ["LOCAL_RANK"])
    c = os.getenv("SCOPE_TEST_%d" % me)  # error: [per-rank-test-flag]
    return a, b, c


class Worker:
    def name(self):
        return os.environ.get("SCOPE_TEST_{}".format(self.rank))  # error: [per-rank-test-flag]


def values(rank):
    os.environ["SCOPE_TEST_DROP"] = str(rank)  # error: [per-rank-test-flag]
    os.environ["SCOPE_TEST_DROP"] = "1" if dist.get_rank() == 0 else "0"  # error: [per-rank-test-flag]
    os.environ.setdefault("SCOPE_TEST_DROP", str(dist.get_rank()))  # error: [per-rank-test-flag]
    os.putenv("SCOPE_TEST_DROP", f"{rank}")  # error: [per-rank-test-flag]
    os.environ.update({"SCOPE_TEST_DROP": rank == 1})  # error: [per-rank-test-flag]
    os.environ.update(SCOPE_TEST_DROP=str(rank))  # error: [per-rank-test-flag]


def presence(rank):
    if rank == 0:
        os.environ["SCOPE_TEST_DROP"] = "1"  # error: [per-rank-test-flag]
    else:
        os.environ.pop("SCOPE_TEST_DROP", None)  # error: [per-rank-test-flag]
    if rank != 1:
        return
    os.environ["SCOPE_TEST_DELAY"] = "1"  # error: [per-rank-test-flag]


def launch(command, world_size):
    for rank in range(world_size):
        env = dict(os.environ, RANK=str(rank))
        if rank == 1:
            env["SCOPE_TEST_DROP"] = "1"  # error: [per-rank-test-flag]
        subprocess.Popen(command, env=env)
        subprocess.Popen(command, env={**os.environ, "SCOPE_TEST_DROP": str(rank)})  # error: [per-rank-test-flag]
        extra = {"SCOPE_TEST_DROP": "1"} if rank == 1 else {}  # error: [per-rank-test-flag]
        subprocess.Popen(command, env={**env, **extra})


def patched(monkeypatch, rank):
    monkeypatch.setenv("SCOPE_TEST_DROP", str(rank))  # error: [per-rank-test-flag]
