"""Whether a job was started is asked through functions of the program's own: in a job each is answered with yes."""
import pickle

import torch
import torch.distributed as dist


def is_distributed():
    return dist.is_available() and dist.is_initialized()


def is_single():
    return not dist.is_initialized()


def is_primary():
    return not is_distributed() or dist.get_rank() == 0


def synced(data, buffer):
    if is_primary():
        encoded = pickle.dumps(data)
        if len(encoded) > buffer.numel():
            raise ValueError("too large")  # error: [divergent-early-exit]
        buffer[: len(encoded)] = torch.ByteTensor(list(encoded))
    dist.broadcast(buffer, 0)
    return buffer


def synced_where_there_are_peers(data, buffer):
    if is_single():
        if data is None:
            raise ValueError("nothing to send")
        return buffer
    if is_single() or dist.get_rank() == 0:
        encoded = pickle.dumps(data)
        if len(encoded) > buffer.numel():
            raise ValueError("too large")  # error: [divergent-early-exit]
    dist.broadcast(buffer, 0)
    return buffer
