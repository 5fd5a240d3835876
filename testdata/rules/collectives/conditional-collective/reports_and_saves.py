"""Calls of libraries that wait for every worker, though they look like one worker's own."""
import ray.train
import torch_xla.core.xla_model as xm


def save(state):
    if xm.is_master_ordinal():
        xm.save(state, "state.pt")  # error: [conditional-collective]


def save_in_step(state):
    xm.save(state, "state.pt")
    if xm.is_master_ordinal():
        print("saved")


def report(metrics):
    if ray.train.get_context().get_world_rank() == 0:
        ray.train.report(metrics)  # error: [conditional-collective]


def report_in_step(metrics):
    ray.train.report(metrics)
