"""Paths that are spelled somewhere else in the file."""
import argparse
import os
from pathlib import Path

import torch

SCRATCH = Path("/tmp") / "scratch"
OUT = "out"


def constant(data):
    (SCRATCH / "a.txt").write_text(data)  # error: [write-outside-workdir]
    (Path(OUT) / "a.txt").write_text(data)


def local(name, data):
    folder = "/tmp/" + name
    path = os.path.join(folder, "a.txt")
    with open(path, "w") as f:  # error: [write-outside-workdir]
        f.write(data)


def default(data, path="/tmp/model.pt"):
    torch.save(data, path)  # error: [write-outside-workdir]


def filled(data, path=None):
    if path is None:
        path = "/tmp/model.pt"
    torch.save(data, path)  # error: [write-outside-workdir]


def fallback(data):
    folder = os.environ.get("RUN_DIR", "/tmp/run")
    os.makedirs(folder, exist_ok=True)  # error: [write-outside-workdir]


def choice(data, path):
    torch.save(data, path or "/tmp/model.pt")  # error: [write-outside-workdir]


class Recorder:
    root = Path("/tmp/records")

    def __init__(self):
        self.path = "/tmp/record.txt"

    def write(self, data):
        with open(self.path, "w") as f:  # error: [write-outside-workdir]
            f.write(data)
        (self.root / "x").write_text(data)  # error: [write-outside-workdir]


def put(path, data):
    with open(path, "w") as f:
        f.write(data)


def through_a_helper(data):
    put("/tmp/a", data)  # error: [write-outside-workdir]
    put("out/a", data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", default="/tmp/report.json")
    parser.add_argument("--cache", default="/tmp/cache", help="never opened here")
    args = parser.parse_args()
    with open(args.report, "w") as f:  # error: [write-outside-workdir]
        f.write("{}")
    return args.cache
