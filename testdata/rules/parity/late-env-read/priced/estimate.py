"""A function of the program that is called as a collective is, and works out how long one takes: ranks compare nothing."""
import os

import prices


def estimate(size, ranks):
    nodes = int(os.environ.get("JOB_NODES", "1"))
    if nodes < 1:
        raise ValueError("no node")
    return prices.allreduce({"nodes": nodes}, size, ranks)


def step(loss):
    if int(os.environ.get("JOB_NODES", "1")) > 1:
        print("loss", loss)
    return loss
