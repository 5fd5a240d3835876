import os

from engine.comm import Communicator


class Worker:
    def __init__(self, path):
        self.path = path
        self.comm = Communicator()

    def reload(self):
        if os.path.exists(self.path):
            return False
        self.comm.fence()  # low: [divergent-early-exit]
        return True

    def reload_in_step(self):
        missing = not os.path.exists(self.path)
        if self.comm.any(missing):
            return False
        self.comm.fence()
        return True
