"""A turn of an endless loop in which nothing was issued yet: it is taken again, and the peers wait (P08)."""
import torch.distributed as dist


def interact(encode):
    while True:
        prompt = [None]
        if dist.get_rank() == 0:
            text = input("> ")
            if not text:
                continue
            prompt = [encode(text)]
        dist.broadcast_object_list(prompt, src=0)  # low: [divergent-early-exit]


def interact_and_stop(encode):
    while True:
        prompt = [None]
        if dist.get_rank() == 0:
            text = input("> ")
            if not text:
                break
            prompt = [encode(text)]
        dist.broadcast_object_list(prompt, src=0)  # error: [divergent-early-exit]


def interact_in_turns(encode, turns):
    for _ in range(turns):
        prompt = [None]
        if dist.get_rank() == 0:
            text = input("> ")
            if not text:
                continue
            prompt = [encode(text)]
        dist.broadcast_object_list(prompt, src=0)  # error: [divergent-early-exit]
