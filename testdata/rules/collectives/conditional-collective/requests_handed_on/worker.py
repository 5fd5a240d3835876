"""What a rank does with a request."""

import torch
import torch.distributed as dist


class Worker:
    def __init__(self, rank):
        self.rank = rank
        self.device = torch.device("cuda", rank)

    def hand_on(self, task=None):
        payload = [task]
        dist.broadcast_object_list(payload, src=0)
        return payload[0]

    def process(self, task):
        if self.rank == 0:
            task = self.hand_on(task)  # low: [conditional-collective]
        result = task["work"]()
        dist.barrier()
        return result

    def count(self):
        total = torch.ones(1, device=self.device)
        dist.all_reduce(total)
        return total

    def stop(self):
        if self.rank == 0:
            self.hand_on({"command": "stop"})  # low: [conditional-collective]

    def loop(self):
        while True:
            task = self.hand_on()
            if task["command"] == "stop":
                break
            self.process(task)
