"""Calls of libraries that wait for every worker, though they look like one worker's own; and one that does not: since torch_xla 2.1."""
import ray.train
import torch_xla.core.xla_model as xm


def save(state):
    if xm.is_master_ordinal():
        xm.save(state, "state.pt")


def save_and_wait(state):
    if xm.is_master_ordinal():
        xm.save(state, "state.pt")
        xm.rendezvous("saved")  # error: [conditional-collective]


def report(metrics):
    if ray.train.get_context().get_world_rank() == 0:
        ray.train.report(metrics)  # error: [conditional-collective]


def report_in_step(metrics):
    ray.train.report(metrics)
