"""Folders that settings name: one may lie in another, which has been made."""
import os

import torch.distributed as dist


def make_experiment(folder, settings_file=None):
    if dist.get_rank() == 0:
        if not os.path.isdir(folder):
            os.makedirs(folder)
        print(settings_file)
    dist.barrier()


def another_entry(settings):
    make_experiment(folder=settings["output"], settings_file="settings.yaml")
    if not os.path.exists(settings["results"]):
        os.makedirs(settings["results"])  # low: [file-race]


def below_an_entry(settings):
    make_experiment(settings["output"])
    results = os.path.join(settings["output"], "results")
    if not os.path.exists(results):
        os.makedirs(results)  # error: [file-race]


def of_other_settings(settings, others):
    make_experiment(settings["output"])
    if not os.path.exists(others["results"]):
        os.makedirs(others["results"])  # error: [file-race]


def behind_it(settings):
    if not os.path.exists(settings["results"]):
        os.makedirs(settings["results"])  # error: [file-race]
    make_experiment(settings["output"])
