import os

import torch


def start(model):
    if os.environ.get("APP_COMPILE") == "1":
        model = torch.compile(model)  # low: [asymmetric-compile-flag]
    return model
