"""Writes spelled where they happen. A docstring that says /tmp is no write."""
import gzip
import json
import logging
import os
import pathlib
import shutil
import sqlite3
import sys
from os import makedirs as ensure
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


def files(name, data, frame):
    with open("/tmp/out.txt", "w") as f:  # error: [write-outside-workdir]
        f.write(data)
    with open(f"/tmp/{name}.txt", mode="a") as f:  # error: [write-outside-workdir]
        f.write(data)
    with gzip.open("/var/tmp/out.gz", "wb") as f:  # error: [write-outside-workdir]
        f.write(data)
    with open(os.path.join("/dev/shm", name), "x") as f:  # error: [write-outside-workdir]
        f.write(data)
    json.dump(data, open("/root/out.json", "w+"))  # error: [write-outside-workdir]
    Path("/tmp/a.txt").write_text(data)  # error: [write-outside-workdir]
    pathlib.Path("/tmp", name).touch()  # error: [write-outside-workdir]
    (Path("/") / "tmp" / name).mkdir(parents=True)  # error: [write-outside-workdir]
    with Path("/tmp/b").open("wb") as f:  # error: [write-outside-workdir]
        f.write(data)
    torch.save(data, "/tmp/model.pt")  # error: [write-outside-workdir]
    np.save("/tmp/a.npy", data)  # error: [write-outside-workdir]
    np.savetxt(fname="/tmp/a.csv", X=data)  # error: [write-outside-workdir]
    frame.to_csv("/tmp/frame.csv")  # error: [write-outside-workdir]
    sys.stdout = open("/tmp/log", "w")  # error: [write-outside-workdir]
    fd = os.open("/tmp/lock", os.O_CREAT | os.O_RDWR)  # error: [write-outside-workdir]
    return fd


def folders(data):
    os.makedirs("/tmp/run", exist_ok=True)  # error: [write-outside-workdir]
    ensure("/workspace/run")  # error: [write-outside-workdir]
    os.symlink("out", "/tmp/link")  # error: [write-outside-workdir]
    shutil.copy("out/a", "/tmp/a")  # error: [write-outside-workdir]
    shutil.move("out/a", dst="/tmp/a")  # error: [write-outside-workdir]
    Path("out/a").rename("/tmp/a")  # error: [write-outside-workdir]


def services(rank, world_size):
    logging.basicConfig(filename="/tmp/log", level=logging.INFO)  # error: [write-outside-workdir]
    handler = logging.FileHandler("/var/tmp/log")  # error: [write-outside-workdir]
    db = sqlite3.connect("/tmp/results.db")  # error: [write-outside-workdir]
    store = dist.FileStore("/tmp/store", world_size)  # error: [write-outside-workdir]
    dist.init_process_group("gloo", init_method="file:///tmp/init", rank=rank, world_size=world_size)  # error: [write-outside-workdir]
    return handler, db, store


def home(data):
    Path.home().joinpath("x").write_text(data)  # error: [write-outside-workdir]
    open(os.path.expanduser("~/x"), "w").write(data)  # error: [write-outside-workdir]
    open(os.path.join(os.environ["HOME"], "x"), "w").write(data)  # error: [write-outside-workdir]
    open(f"{os.getenv('HOME')}/x", "w").write(data)  # error: [write-outside-workdir]
    Path("~/x").expanduser().write_text(data)  # error: [write-outside-workdir]
