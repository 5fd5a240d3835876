"""One side sends as many pieces as it has, the other takes them as long as something is left (P08)."""

import os
import pickle

import torch
import torch.distributed as dist


class Channel:
    PIECE = 1024

    def __init__(self):
        self.rank = int(os.environ.get("LOCAL_RANK", 0))
        self.group = None

    def open(self):
        self.group = dist.new_group(backend="gloo")

    def send(self, data):
        whole = len(data) // self.PIECE
        rest = len(data) % self.PIECE
        for index in range(whole):
            piece = torch.tensor(list(data[index * self.PIECE : (index + 1) * self.PIECE]), dtype=torch.uint8)
            dist.broadcast(piece, src=0, group=self.group)
        if rest:
            dist.broadcast(torch.tensor(list(data[-rest:]), dtype=torch.uint8), src=0, group=self.group)

    def receive(self, length):
        if length <= 0:
            return b""
        received = bytearray()
        left = length
        while left > 0:
            piece = torch.empty(min(self.PIECE, left), dtype=torch.uint8)
            dist.broadcast(piece, src=0, group=self.group)
            received.extend(piece.numpy())
            left -= len(piece)
        return bytes(received)

    def is_rank_zero(self):
        return self.rank == 0

    def exchange(self, task=None):
        if self.group is None:
            return None
        if self.is_rank_zero():
            stop = torch.tensor([0 if task else 1])
            dist.broadcast(stop, src=0, group=self.group)
            if task is None:
                return None
            data = pickle.dumps(task)
            dist.broadcast(torch.tensor([len(data)]), src=0, group=self.group)
            self.send(data)  # low: [conditional-collective]
            return task
        else:
            stop = torch.tensor([0])
            dist.broadcast(stop, src=0, group=self.group)
            if stop.item() == 1:
                return None
            length = torch.tensor([0])
            dist.broadcast(length, src=0, group=self.group)
            return pickle.loads(self.receive(int(length.item())))

    def send_unheard(self, task):
        data = pickle.dumps(task)
        dist.broadcast(torch.tensor([len(data)]), src=0, group=self.group)
        if self.rank == 0:
            self.send(data)  # error: [conditional-collective]
