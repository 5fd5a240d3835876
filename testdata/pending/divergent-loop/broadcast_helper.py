"""A helper that returns what the driver sent, or what the others received: agreed, nothing to report (P18, P47)."""
import torch.distributed as dist


class Worker:
    def __init__(self, rank):
        self.rank = rank
        self.is_driver = rank == 0

    def broadcast(self, message=None):
        if self.is_driver:
            dist.broadcast_object_list([message], src=0)
            return message
        received = [None]
        dist.broadcast_object_list(received, src=0)
        return received[0]

    def execute(self, requests=None):
        data = self.broadcast({"count": len(requests)} if self.is_driver else None)
        if data["count"] == 0:
            return
        dist.barrier()

    def run(self):
        while True:
            command = self.broadcast()
            if not command:
                break
            dist.barrier()

    def forgetful(self, requests=None):
        if self.is_driver:
            if not requests:
                return
            self.broadcast(requests)
        else:
            self.broadcast()  # error: [conditional-collective]
