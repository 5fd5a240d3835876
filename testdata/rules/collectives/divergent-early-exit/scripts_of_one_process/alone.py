"""A script of one process: it joins no job, and nobody waits for it."""

import os

from library import plan


def load(path):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    return open(path)


for path in ["one.pt", "two.pt"]:
    try:
        model = load(path)
    except FileNotFoundError:  # low: [swallowed-failure]
        continue
    print(plan(model))  # low: [divergent-early-exit]
