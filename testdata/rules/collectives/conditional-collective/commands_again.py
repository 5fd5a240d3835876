"""One rank reads commands in an endless loop and begins another turn where there is none: before it has issued anything
it comes back to its peers, afterwards and where it may leave the loop it does not."""

import torch.distributed as dist


def until_the_end(generate):
    while True:
        text = [""]
        if dist.get_rank() == 0:
            text = [input()]
            if not text[0]:
                continue
            dist.broadcast_object_list(text)  # low: [divergent-early-exit]
            if text[0] == "end":
                break
        else:
            dist.broadcast_object_list(text)  # error: [conditional-collective]
        generate(text)


def after_the_first_half(generate, x):
    while True:
        text = [""]
        if dist.get_rank() == 0:
            dist.broadcast_object_list(text)
            if not generate(text):
                continue
        else:
            dist.broadcast_object_list(text)
            dist.all_reduce(x)  # error: [conditional-collective]
