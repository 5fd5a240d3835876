"""What a program says that is asked in the same words everywhere is a fact of the machine; nodes are alike."""
import subprocess

import torch.distributed as dist


def has_links():
    return "NV" in subprocess.check_output(["nvidia-smi", "topo", "--matrix"]).decode()


def has_job(name):
    return subprocess.call(["squeue", "--name", name]) == 0


def make(ranks):
    if not has_links():
        return None
    return dist.new_group(ranks)  # low: [conditional-group-creation]


def make_for(ranks, name):
    if not has_job(name):
        return None
    return dist.new_group(ranks)  # error: [conditional-group-creation]
