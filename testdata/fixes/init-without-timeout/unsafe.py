"""A control plane."""

from __future__ import annotations

from datetime import timedelta
from dataclasses import dataclass
from enum import IntEnum

import torch
import torch.distributed as dist


class Action(IntEnum):
    NOOP = 0
    INFER = 1
    SHUTDOWN = 2
    ERROR = 3


@dataclass
class Header:
    version: int
    action: int
    call_id: int
    cache_epoch: int

    def to_tensor(self):
        return torch.tensor([self.version, self.action, self.call_id, self.cache_epoch])


class Link:
    def __init__(self, group, peer: int):
        self._group = group
        self._peer = peer

    def commit(self, header: Header, body):
        dist.send(header.to_tensor(), dst=self._peer, group=self._group)
        dist.send(body, dst=self._peer, group=self._group)

    def send_bare(self, action: Action, call_id: int, cache_epoch: int):
        header = Header(1, action, call_id, cache_epoch)
        dist.send(header.to_tensor(), dst=self._peer, group=self._group)

    def receive(self) -> Header:
        buffer = torch.zeros(4, dtype=torch.int64)
        dist.recv(buffer, src=self._peer, group=self._group)
        return Header(*buffer.tolist())

    def receive_body(self, header: Header):
        body = torch.zeros(16)
        dist.recv(body, src=self._peer, group=self._group)
        return body


def start(**options):
    dist.init_process_group("gloo", timeout=timedelta(minutes=10))
    dist.init_process_group(
        "gloo",
        rank=0, timeout=timedelta(minutes=10),
    )
    dist.init_process_group("gloo", **options)


def shadowed(timedelta):
    dist.init_process_group("gloo", world_size=timedelta)


def stop():
    dist.destroy_process_group()
