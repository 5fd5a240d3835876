"""Messages that are passed on where there are several ranks: with one there is nobody to part from (P18)."""
import os

import torch


def passed_on(args):
    rank = int(os.environ.get("RANK", 0))
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    while True:
        query = [input("query") if rank == 0 else None]
        if world_size > 1:
            torch.distributed.broadcast_object_list(query, 0)
        query = query[0]
        while query != "clear":
            if query == "stop":
                raise SystemExit(0)
            query = [input("query") if rank == 0 else None]
            if world_size != 1:
                torch.distributed.broadcast_object_list(query, 0)
            query = query[0]


def passed_on_where_many(args):
    rank = int(os.environ.get("RANK", 0))
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    while True:
        command = [input("command") if rank == 0 else None]
        if world_size > 4:
            torch.distributed.broadcast_object_list(command, 0)
        if command[0] == "stop":
            break
        torch.distributed.barrier()  # error: [divergent-early-exit]
