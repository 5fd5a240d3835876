"""Folders for results, and results."""
import json
import os


def prepare(folder):
    if not os.path.exists(folder):
        os.mkdir(folder)  # error: [file-race]


def keep(scores, folder):
    with open(os.path.join(folder, "scores.json"), "w") as file:
        json.dump(scores, file)
