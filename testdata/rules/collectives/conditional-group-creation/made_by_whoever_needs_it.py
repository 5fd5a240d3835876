"""One place makes a mesh where there is none yet; several methods come there on one rank only: one finding."""
import os

from torch.distributed.device_mesh import init_device_mesh


class Server:
    def __init__(self, size):
        self.size = size
        self.mesh = None
        self.client = None
        self.leads = int(os.environ["RANK"]) == 0

    def connect(self):
        if self.client is not None:
            return
        if self.mesh is None:
            self.mesh = init_device_mesh("cpu", (self.size,))
        self.client = object()

    def resume(self, frees):
        if self.leads and frees:
            self.connect()

    def release(self, frees):
        if self.leads and frees:
            self.connect()

    def update(self):
        if self.leads:
            self.connect()  # error: [conditional-group-creation]
