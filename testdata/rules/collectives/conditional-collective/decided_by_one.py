"""What rank 0 alone finds out, and tells the others: it does not part ways with itself."""

import os

import torch.distributed as dist


def stop_or_go(x):
    box = [None]
    if dist.get_rank() == 0:
        if os.path.exists("flag"):
            dist.broadcast_object_list(["stop"], 0)
            return
        dist.broadcast_object_list(["go"], 0)
        dist.all_reduce(x)
    else:
        dist.broadcast_object_list(box, 0)
        if box[0] == "stop":
            return
        dist.all_reduce(x)


def same_list(x):
    box = [None]
    if dist.get_rank() == 0:
        box = [os.path.exists("flag")]
        if box[0]:
            dist.broadcast_object_list(box, 0)
            dist.all_reduce(x)
        else:
            dist.broadcast_object_list(box, 0)
    else:
        dist.broadcast_object_list(box, 0)
        if box[0]:
            dist.all_reduce(x)


def kept_to_itself(x):
    if dist.get_rank() == 0 and os.path.exists("flag"):
        dist.all_reduce(x)  # error: [conditional-collective]
