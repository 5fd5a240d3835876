"""Functions that are imported by themselves, and modules under another name, tell of this process all the same."""
import time as clock
from datetime import datetime as moment
from os.path import exists
from time import time

import torch.distributed as dist


def late(x, end):
    if time() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def late_by_another_name(x, end):
    if clock.time() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def past(x, end):
    if moment.now() > end:
        dist.all_reduce(x)  # error: [conditional-collective]


def there(x, path):
    if exists(path):
        dist.all_reduce(x)  # low: [conditional-collective]
