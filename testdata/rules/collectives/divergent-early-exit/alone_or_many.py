"""Messages that are passed on where there are several ranks: with one there is nobody to part from (P18)."""
import os
import torch


def main(args, world_size):
    rank = int(os.environ.get("RANK", 0))
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    while True:
        if rank == 0:
            path = [input("path")]
        else:
            path = [None]
        if world_size > 1:
            torch.distributed.broadcast_object_list(path, 0)
        path = path[0]
        if path == "stop":
            break
        if rank == 0:
            query = [input("q")]
        else:
            query = [None]
        if world_size > 1:
            torch.distributed.broadcast_object_list(query, 0)
        query = query[0]
        while True:
            if query == "clear":
                break
            if query == "stop":
                raise SystemExit(0)
            if rank == 0:
                query = [input("q")]
            else:
                query = [None]
            if world_size > 1:
                torch.distributed.broadcast_object_list(query, 0)
            query = query[0]


def only_where_many(args):
    rank = int(os.environ.get("RANK", 0))
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    while True:
        command = [input("command") if rank == 0 else None]
        if world_size > 4:
            torch.distributed.broadcast_object_list(command, 0)
        if command[0] == "stop":
            break
        torch.distributed.barrier()  # error: [divergent-early-exit]
