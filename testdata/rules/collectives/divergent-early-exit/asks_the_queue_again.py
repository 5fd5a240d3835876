"""Who finds its queue empty and asks again comes to the collective in a later turn; who leaves does not."""
import queue

import torch.distributed as dist


def serve(inbox, weights):
    while True:
        try:
            item = inbox.get_nowait()
            if item is None:
                break
            dist.all_reduce(weights)  # low: [divergent-early-exit]
        except queue.Empty:
            continue
        except Exception as error:
            print(error)
            break


def serve_until_nothing_comes(inbox, weights):
    while True:
        try:
            item = inbox.get_nowait()
            if item is None:
                break
            dist.all_reduce(weights)  # error: [divergent-early-exit]
        except queue.Empty:
            break
