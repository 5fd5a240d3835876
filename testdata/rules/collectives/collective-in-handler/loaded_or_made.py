"""What cannot be loaded is made by all ranks together: the file is there for all of them, or for none."""
import os

import numpy as np
import torch
import torch.distributed as dist


def features(path, model, images):
    try:
        return torch.load(path)
    except Exception:
        found = model(images)
        dist.all_reduce(found)  # low: [collective-in-handler]
        return found


def table(path, rows):
    try:
        return np.load(path)
    except OSError:
        dist.all_reduce(rows)  # low: [collective-in-handler]
        return rows


def features_of_a_folder_that_is_made(folder, path, model, images):
    try:
        os.makedirs(folder)
        return torch.load(path)
    except Exception:
        found = model(images)
        dist.all_reduce(found)  # error: [collective-in-handler]
        return found
