"""The setting goes through a function of the program that communicates: ranks compare it."""
import os

import talk
import torch


def check():
    nodes = int(os.environ.get("JOB_NODES", "1"))
    if talk.allreduce(torch.tensor([nodes])).item() != nodes:
        raise RuntimeError("ranks were started with different settings")


def step(loss):
    if int(os.environ.get("JOB_NODES", "1")) > 1:  # error: [late-env-read]
        print("loss", loss)
    return loss
