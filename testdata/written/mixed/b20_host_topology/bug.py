"""Topology discovery: groups ranks by host and opens one communicator per rail."""
import glob
import os
import socket

import torch.distributed as dist


class Topology:
    def __init__(self):
        self.rank = dist.get_rank()
        self.hosts = [None] * dist.get_world_size()
        dist.all_gather_object(self.hosts, socket.gethostname())
        self.rails = {}

    def by_host(self):
        table = {}
        for rank, host in enumerate(self.hosts):
            table.setdefault(host, []).append(rank)
        return table

    def intra_host_group(self):
        mine = None
        for host, ranks in self.by_host().items():
            group = dist.new_group(ranks)
            if self.rank in ranks:
                mine = group
        return mine

    def copy_group(self):
        mine = None
        for host in set(self.hosts):  # BUG 1
            ranks = [r for r, h in enumerate(self.hosts) if h == host]
            group = dist.new_group(ranks, backend="gloo")
            if host == self.hosts[self.rank]:
                mine = group
        return mine

    def open_rails(self):
        for path in glob.glob("/sys/class/infiniband/*"):  # BUG 2
            self.rails[os.path.basename(path)] = dist.new_group(backend="nccl")
        return self.rails
