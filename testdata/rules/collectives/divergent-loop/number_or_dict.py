"""What is a number on the ranks that have not computed it is one on the rank that has, and no mapping of them."""
import torch
import torch.distributed as dist


class Strategy:
    def broadcast(self, data):
        if isinstance(data, dict):
            return {key: self.broadcast(value) for key, value in data.items()}
        data = torch.Tensor([data])
        dist.broadcast(data, 0)
        return data


class Learner:
    def __init__(self):
        self.strategy = Strategy()

    def evaluate(self, compare):
        rate = 0
        if dist.get_rank() == 0:
            rate = compare().mean()
        return self.strategy.broadcast(rate)

    def evaluate_each(self, compare):
        rates = {}
        if dist.get_rank() == 0:
            rates = {"first": compare(0), "second": compare(1)}
        return self.strategy.broadcast(rates)  # error: [divergent-loop]

    def evaluate_if_any(self, compare):
        rates = 0
        if dist.get_rank() == 0:
            rates = {"first": compare(0), "second": compare(1)}
        return self.strategy.broadcast(rates)  # error: [divergent-loop]

    def evaluate_first(self, compare):
        rate = compare().mean()
        if dist.get_rank() != 0:
            rate = 0
        return self.strategy.broadcast(rate)

    def evaluate_number(self, compare):
        rate = 0
        if dist.get_rank() == 0:
            rate = compare().mean()
        if isinstance(rate, int) and dist.get_rank() == 0:
            dist.barrier()  # error: [conditional-collective]
