"""The first rank takes in requests and hands each of them on; the others wait for them in a loop of their own (P18)."""

import torch.distributed as dist

from worker import Worker


class Service:
    def __init__(self):
        self.worker = Worker(dist.get_rank())

    def submit(self, task):
        if self.worker.rank != 0:
            return None
        return self.worker.process(task)  # low: [divergent-early-exit]

    def report(self):
        # Nobody waits for this in the loop.
        if self.worker.rank == 0:
            self.worker.count()  # error: [conditional-collective]

    def run_worker_loop(self):
        if self.worker.rank != 0:
            self.worker.loop()  # low: [conditional-collective]


def main(app):
    service = Service()
    if dist.get_rank() == 0:
        app.run(service)
    else:
        service.run_worker_loop()  # low: [conditional-collective]
