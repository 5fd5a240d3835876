"""A failure that is taken inside of the block, and behind which the block goes on, does not come to its `finally`."""
import torch.distributed as dist


def write(state, path):
    with open(path, "wb") as file:
        file.write(state)
    dist.barrier()


def save_in_background(inbox, outbox):
    try:
        while True:
            task = inbox.get()
            if task is None:
                return
            try:
                write(*task)
            except Exception as error:
                outbox.put(error)
    finally:
        dist.destroy_process_group()


def save_until_it_fails(inbox, outbox):
    try:
        while True:
            task = inbox.get()
            if task is None:
                return
            try:
                write(*task)
            except Exception as error:
                outbox.put(error)
                break
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]


def save_what_is_read(inbox, outbox):
    try:
        while True:
            path = inbox.get()
            state = open(path, "rb").read()
            try:
                write(state, path)
            except Exception as error:
                outbox.put(error)
    finally:
        dist.destroy_process_group()  # error: [collective-in-handler]
