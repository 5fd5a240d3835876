"""Nothing here writes outside: /tmp is read, named, logged, or the path is relative."""
import os
import sys
from pathlib import Path

import numpy as np
import torch

DEFAULT = "/tmp/somewhere"  # nobody opens it


def reads(path):
    open("/tmp/x").read()
    open("/tmp/x", "rb").read()
    Path("/tmp/x").read_text()
    with Path("/tmp/x").open() as f:
        f.read()
    np.load("/tmp/a.npy")
    torch.load("/tmp/model.pt")
    os.listdir("/tmp")
    os.path.exists("/tmp/x")
    os.open("/tmp/x", os.O_RDONLY)
    open(path).read()


def devices(data):
    open("/dev/null", "w").write(data)
    open(os.devnull, "w").write(data)
    open("/dev/stdout", "w").write(data)
    open("/proc/self/oom_score_adj", "w").write("0")


def inside(name, data, mode):
    open("out/tmp/x", "w").write(data)
    open(f"tmp/{name}", "w").write(data)
    Path("tmp").mkdir(exist_ok=True)
    os.makedirs(os.path.join("out", "tmp"), exist_ok=True)
    open(name, "w").write(data)
    open("/tmp/x", mode).read()
    Path(__file__).parent.joinpath("out").mkdir()
    data.replace("/tmp/", "out/")
    "a/b".replace("/tmp", "")
    print("writing to /tmp/x", file=sys.stderr)
    torch.save(data, f"{name}/tmp/model.pt")


def store(registry, cache):
    registry.save(name="/tmp")
    cache.set("/tmp/x", 1)
    return {"path": "/tmp/x"}
