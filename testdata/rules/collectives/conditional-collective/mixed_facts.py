"""Of many facts some hold and some do not where one rank alone is sent on: neither all of them nor none."""
import os

import torch.distributed as dist


def chosen(x):
    one, two, three = os.path.exists("a"), os.path.exists("b"), os.path.exists("c")
    four, five = os.path.exists("d"), os.path.exists("e")
    if one and not two and three and not four and five and dist.get_rank() == 0:
        dist.all_reduce(x)  # error: [conditional-collective]
    return x
