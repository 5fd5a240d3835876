from pkg import paths
from pkg.paths import LOCAL, SCRATCH

import os


def dump(name, data):
    os.makedirs(SCRATCH, exist_ok=True)  # error: [write-outside-workdir]
    with open(f"{paths.SCRATCH}/{name}.txt", "w") as f:  # error: [write-outside-workdir]
        f.write(data)
    with open(f"{LOCAL}/{name}.txt", "w") as f:
        f.write(data)
