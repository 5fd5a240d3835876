"""Many things are asked, and only some answers go together: what one rank finds on its disk still decides alone."""
import os
from enum import Enum
from pathlib import Path

import torch.distributed as dist


class Source(Enum):
    LOCAL = 0
    URI = 1
    HUB = 2


def source_of(name):
    if Path(name).is_dir():
        return Source.LOCAL
    if name.startswith("http"):
        return Source.URI
    return Source.HUB


def fetched(name, folder, overwrite=False, offline=False):
    source = source_of(name)
    target = Path(folder) / name
    if target.exists() and not overwrite:
        return target
    if source == Source.LOCAL:
        return Path(name)
    if source == Source.URI:
        if offline:
            raise ValueError(name)
        if dist.get_rank() == 0:
            target.write_text(name)
        dist.barrier()  # error: [divergent-early-exit]  # low: [conditional-collective]
        return target
    assert source == Source.HUB
    if os.path.islink(target) and os.path.isdir(folder):
        raise ValueError(folder)
    return target


def fetched_by_all(name, folder, overwrite=False, offline=False):
    found = [Path(folder).exists()]
    dist.broadcast_object_list(found, src=0)
    if found[0] and not overwrite:
        return None
    if name == "local":
        return None
    assert name == "uri"
    if offline:
        raise ValueError(name)
    dist.barrier()
    return folder
